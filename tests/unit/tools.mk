# unit tests of tools
TESTS += tests/unit/test_generated.sh tests/unit/test_topo_dump.sh
EXTRA_DIST += tests/unit/test_generated.sh tests/unit/test_topo_dump.sh \
	tests/data/topo-dump/switches.txt tests/data/topo-dump/golden8.json tests/data/topo-dump/topology.conf
TESTS += tests/unit/test_readme.sh tests/unit/test_setup.sh
EXTRA_DIST += tests/unit/test_readme.sh tests/unit/test_setup.sh
