# unit tests of mapping
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
check_PROGRAMS += tests/unit/check_grid tests/unit/check_moves
TESTS += tests/unit/check_grid tests/unit/check_moves
tests_unit_check_grid_CFLAGS = $(unit_cflags)
tests_unit_check_grid_LDADD = $(unit_ldadd)
tests_unit_check_moves_SOURCES = tests/unit/check_moves.c tests/unit/moves.c tests/unit/moves.h
tests_unit_check_moves_CFLAGS = $(unit_cflags)
tests_unit_check_moves_LDADD = $(unit_ldadd)
