# unit tests of renumber
check_PROGRAMS += tests/unit/check_graph tests/unit/check_partition tests/unit/check_mapping
TESTS += tests/unit/check_graph tests/unit/check_partition tests/unit/check_mapping
tests_unit_check_graph_CFLAGS = $(unit_cflags)
tests_unit_check_graph_LDADD = $(unit_ldadd)
# Compares with METIS itself.
tests_unit_check_partition_CFLAGS = $(unit_cflags)
tests_unit_check_partition_LDADD = $(unit_ldadd) $(METIS_LIBS) -lm
# Plays an application that has a METIS of its own.
tests_unit_check_mapping_CFLAGS = $(unit_cflags)
tests_unit_check_mapping_LDADD = $(unit_ldadd)
tests_unit_check_mapping_LDFLAGS = -export-dynamic
