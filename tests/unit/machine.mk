# unit tests of machine
machine_checks = tests/unit/check_tree tests/unit/check_synthetic
check_PROGRAMS += $(machine_checks)
TESTS += $(machine_checks)
tests_unit_check_tree_CFLAGS = $(unit_cflags)
tests_unit_check_tree_LDADD = $(unit_ldadd)
tests_unit_check_synthetic_CFLAGS = $(unit_cflags)
tests_unit_check_synthetic_LDADD = $(unit_ldadd)
