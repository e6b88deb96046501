# unit tests of tools
TESTS += tests/unit/test_generated.sh
EXTRA_DIST += tests/unit/test_generated.sh
TESTS += tests/unit/test_readme.sh tests/unit/test_setup.sh
EXTRA_DIST += tests/unit/test_readme.sh tests/unit/test_setup.sh
