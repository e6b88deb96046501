# The tools. tools/common holds what several of them share.
tools_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tools
noinst_LTLIBRARIES += tools/libcommon.la
tools_libcommon_la_SOURCES = tools/common/cli.c tools/common/cli.h tools/common/options.c \
	tools/common/options.h tools/common/json.h tools/common/native.h tools/common/progress.c tools/common/progress.h tools/common/script.c tools/common/script.h
tools_libcommon_la_CPPFLAGS = $(tools_cppflags)
EXTRA_DIST += tools/quickstart tools/setup.sh tools/mpi_wrapper.sh tools/quickstart.d/compare tools/quickstart.d/allgather_time.c tools/common/chart.py \
	tools/common/string_of tools/reproduce tools/reproduce.d/cyclic tools/reproduce.d/kurnosov tools/reproduce.d/kurnysh \
	tools/reproduce.d/page.py tools/reproduce.d/predictor tools/reproduce.d/rows.py tools/reproduce.d/wang
string_of = $(AM_V_GEN)$(MKDIR_P) $(@D) && $(SHELL) $(top_srcdir)/tools/common/string_of
include tools/topo-dump/local.mk
include tools/topo-bench/local.mk
include tools/topo-predict/local.mk
include tools/topo-predict-dvm/local.mk
include tools/topompi-run/local.mk
