# unit tests of tools
TESTS += tests/unit/test_generated.sh
EXTRA_DIST += tests/unit/test_generated.sh
