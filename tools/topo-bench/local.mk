# topo-bench. The part without MPI is a library of its own, for the unit tests.
noinst_LTLIBRARIES += tools/libbench.la
tools_libbench_la_SOURCES = \
	tools/topo-bench/sizes.c tools/topo-bench/sizes.h \
	tools/topo-bench/statistics.c tools/topo-bench/statistics.h \
	tools/topo-bench/rates.c tools/topo-bench/rates.h \
	tools/topo-bench/bound.c tools/topo-bench/bound.h \
	tools/topo-bench/plan.c tools/topo-bench/plan.h \
	tools/topo-bench/progress.c tools/topo-bench/progress.h \
	tools/topo-bench/tune.c tools/topo-bench/tune.h \
	tools/topo-bench/pattern.c tools/topo-bench/pattern.h \
	tools/topo-bench/irregular.c tools/topo-bench/irregular.h \
	tools/topo-bench/paired.c tools/topo-bench/paired.h \
	tools/topo-bench/arrival.c tools/topo-bench/arrival.h \
	tools/topo-bench/guideline.c tools/topo-bench/guideline.h tools/topo-bench/guideline_table.c \
	tools/topo-bench/guideline_report.c tools/topo-bench/guideline_report.h \
	tools/topo-bench/request.c tools/topo-bench/request.h \
	tools/topo-bench/report.c tools/topo-bench/report.h tools/topo-bench/table.c tools/topo-bench/json.c
tools_libbench_la_CPPFLAGS = $(tools_cppflags)
tools_libbench_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tools_libbench_la_LIBADD = tools/libcommon.la src/libtools.la $(JANSSON_LIBS) -lm

bin_PROGRAMS += tools/topo-bench/topo-bench
tools_topo_bench_topo_bench_SOURCES = \
	tools/topo-bench/main.c tools/topo-bench/start.c tools/topo-bench/start.h \
	tools/topo-bench/compare.c tools/topo-bench/compare.h \
	tools/topo-bench/tune_command.c tools/topo-bench/tune_command.h \
	tools/topo-bench/compile.c tools/topo-bench/compile.h \
	tools/topo-bench/reduce_local.c tools/topo-bench/reduce_local.h \
	tools/topo-bench/report_command.c tools/topo-bench/report_command.h \
	tools/topo-bench/guidelines_command.c tools/topo-bench/guidelines_command.h \
	tools/topo-bench/guideline_measure.c tools/topo-bench/guideline_measure.h \
	tools/topo-bench/guideline_call.c tools/topo-bench/guideline_call.h tools/topo-bench/guideline_data.c \
	tools/topo-bench/operation.c tools/topo-bench/operation.h \
	tools/topo-bench/blocks.c tools/topo-bench/blocks.h \
	tools/topo-bench/lengths.c tools/topo-bench/lengths.h \
	tools/topo-bench/loop.c tools/topo-bench/loop.h \
	tools/topo-bench/bench_allgather.c \
	tools/topo-bench/bench_alltoall.c tools/topo-bench/bench_alltoallv.c \
	tools/topo-bench/bench_allgatherv.c tools/topo-bench/bench_barrier.c tools/topo-bench/bench_bcast.c \
	tools/topo-bench/bench_rooted.c tools/topo-bench/bench_sums.c \
	tools/topo-bench/operands.c tools/topo-bench/operands.h \
	tools/topo-bench/native_form.c tools/topo-bench/native_form.h \
	tools/topo-bench/variants.c tools/topo-bench/variants.h \
	tools/topo-bench/crowd.c tools/topo-bench/crowd.h tools/topo-bench/links.c tools/topo-bench/links.h \
	tools/topo-bench/levels.c tools/topo-bench/levels.h \
	tools/topo-bench/measure.c tools/topo-bench/measure.h \
	tools/topo-bench/settle.c tools/topo-bench/settle.h
tools_topo_bench_topo_bench_CPPFLAGS = $(tools_cppflags)
tools_topo_bench_topo_bench_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS) $(JANSSON_CFLAGS)
tools_topo_bench_topo_bench_LDADD = tools/libbench.la src/libmpi_linked.la $(JANSSON_LIBS)
EXTRA_DIST += tools/topo-bench/report.py tools/topo-bench/page.py

# The script of topo-bench report.
bench_script = $(top_srcdir)/tools/common/chart.py $(top_srcdir)/tools/topo-bench/report.py $(top_srcdir)/tools/topo-bench/page.py
nodist_tools_topo_bench_topo_bench_SOURCES = tools/topo-bench/report_script.c
CLEANFILES += tools/topo-bench/report_script.c
tools/topo-bench/report_script.c: $(bench_script)
	$(string_of) bench_report_script $(bench_script) >$@.new && mv $@.new $@
dist_man_MANS += man/topo-bench.1
