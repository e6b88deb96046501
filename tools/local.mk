# The tools. tools/common holds what several of them share.
tools_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tools
noinst_LTLIBRARIES += tools/libcommon.la
tools_libcommon_la_SOURCES = tools/common/svg.c tools/common/svg.h tools/common/cli.c tools/common/cli.h
tools_libcommon_la_CPPFLAGS = $(tools_cppflags)
EXTRA_DIST += tools/quickstart tools/setup.sh tools/quickstart.d/compare tools/quickstart.d/allgather_time.c
include tools/topo-dump/local.mk
include tools/topo-bench/local.mk
include tools/topo-predict/local.mk
