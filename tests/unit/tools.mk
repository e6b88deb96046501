# unit tests of tools
TESTS += tests/unit/test_generated.sh tests/unit/test_topo_dump.sh tests/unit/test_topo_dump_allreduce.sh
EXTRA_DIST += tests/unit/dump.sh tests/unit/test_generated.sh tests/unit/test_topo_dump.sh \
	tests/unit/test_topo_dump_allreduce.sh tests/data/topo-dump/grid.txt tests/data/topo-dump/stripes.txt \
	tests/data/topo-dump/switches.txt tests/data/topo-dump/golden8.json tests/data/topo-dump/topology.conf
TESTS += tests/unit/test_readme.sh tests/unit/test_setup.sh tests/unit/test_files.sh tests/unit/test_edges.sh
EXTRA_DIST += tests/unit/test_readme.sh tests/unit/test_setup.sh tests/unit/test_files.sh tests/unit/test_edges.sh

# topo-bench's arithmetic and output.
bench_cflags = $(unit_cflags) -I$(top_srcdir)/tools $(JANSSON_CFLAGS)
bench_ldadd = tools/libbench.la $(unit_ldadd) $(JANSSON_LIBS)
check_PROGRAMS += tests/unit/check_bench_sizes tests/unit/check_bench_bound tests/unit/check_bench_report
TESTS += tests/unit/check_bench_sizes tests/unit/check_bench_bound tests/unit/check_bench_report
tests_unit_check_bench_sizes_CFLAGS = $(bench_cflags)
tests_unit_check_bench_sizes_LDADD = $(bench_ldadd)
tests_unit_check_bench_bound_CFLAGS = $(bench_cflags)
tests_unit_check_bench_bound_LDADD = $(bench_ldadd)
tests_unit_check_bench_report_CFLAGS = $(bench_cflags)
tests_unit_check_bench_report_LDADD = $(bench_ldadd)
TESTS += tests/unit/test_bench_report.sh
EXTRA_DIST += tests/unit/test_bench_report.sh tests/unit/write_report.py tests/data/topo-bench
TESTS += tests/unit/test_tools.sh
EXTRA_DIST += tests/unit/test_tools.sh
