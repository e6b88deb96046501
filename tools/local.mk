# The tools. tools/common holds what several of them share.
tools_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tools
noinst_LTLIBRARIES += tools/libcommon.la
tools_libcommon_la_SOURCES = tools/common/cli.c tools/common/cli.h tools/common/script.c tools/common/script.h
tools_libcommon_la_CPPFLAGS = $(tools_cppflags)
EXTRA_DIST += tools/quickstart tools/setup.sh tools/quickstart.d/compare tools/quickstart.d/allgather_time.c tools/common/chart.py

# Python scripts become strings of the tools that run them: nothing has to be found or installed beside a tool.
# $(call script_of,NAME,FILES): the commands that make $@ of the files; NAME is the string's.
script_of = $(AM_V_GEN)$(MKDIR_P) $(@D) && { echo '\#include "common/script.h"' && echo 'const char $(1)[] =' && \
	cat $(2) | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/    "&\\n"/' && echo ';'; } >$@.new && mv $@.new $@
include tools/topo-dump/local.mk
include tools/topo-bench/local.mk
include tools/topo-predict/local.mk
