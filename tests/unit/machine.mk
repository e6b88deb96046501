# unit tests of machine
machine_checks = \
	tests/unit/check_tree tests/unit/check_synthetic tests/unit/check_hostlist \
	tests/unit/check_slurm tests/unit/check_build tests/unit/check_places
check_PROGRAMS += $(machine_checks)
TESTS += $(machine_checks)
tests_unit_check_tree_CFLAGS = $(unit_cflags)
tests_unit_check_tree_LDADD = $(unit_ldadd)
tests_unit_check_synthetic_CFLAGS = $(unit_cflags)
tests_unit_check_synthetic_LDADD = $(unit_ldadd)
tests_unit_check_hostlist_CFLAGS = $(unit_cflags)
tests_unit_check_hostlist_LDADD = $(unit_ldadd)
tests_unit_check_slurm_CFLAGS = $(unit_cflags)
tests_unit_check_slurm_LDADD = $(unit_ldadd)
tests_unit_check_build_CFLAGS = $(unit_cflags)
tests_unit_check_build_LDADD = $(unit_ldadd)
tests_unit_check_places_CFLAGS = $(unit_cflags)
tests_unit_check_places_LDADD = $(unit_ldadd)
EXTRA_DIST += tests/data/machine/uneven.xml
