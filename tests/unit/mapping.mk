# unit tests of mapping
check_PROGRAMS += tests/unit/check_graph
TESTS += tests/unit/check_graph
tests_unit_check_graph_CFLAGS = $(unit_cflags)
tests_unit_check_graph_LDADD = $(unit_ldadd)
