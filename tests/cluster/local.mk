# The emulated cluster and its test.
EXTRA_DIST += tests/cluster/cluster tests/cluster/network.sh tests/cluster/launch.sh tests/cluster/test_cluster.sh
TESTS += tests/cluster/test_cluster.sh
