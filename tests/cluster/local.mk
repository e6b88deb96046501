# The emulated cluster, and the tests of it and of topo-bench.
EXTRA_DIST += tests/cluster/cluster tests/cluster/network.sh tests/cluster/launch.sh tests/cluster/test_cluster.sh \
	tests/cluster/test_bench.sh tests/cluster/compare tests/cluster/schedules
TESTS += tests/cluster/test_cluster.sh tests/cluster/test_bench.sh
# A faulty MPI library, for the tests of topo-bench; -rpath makes it shared.
check_LTLIBRARIES += tests/cluster/fault.la
tests_cluster_fault_la_SOURCES = tests/cluster/fault.c
tests_cluster_fault_la_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_cluster_fault_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_cluster_fault_la_LIBADD = -ldl
