# The emulated cluster, and the tests of it and of topo-bench.
EXTRA_DIST += tests/cluster/cluster tests/cluster/network.sh tests/cluster/launch.sh tests/cluster/test_cluster.sh \
	tests/cluster/test_bench.sh tests/cluster/compare
TESTS += tests/cluster/test_cluster.sh tests/cluster/test_bench.sh
