# unit tests of levels
levels_checks = tests/unit/check_levels tests/unit/check_rounds tests/unit/check_paths tests/unit/check_lanes \
	tests/unit/check_sums tests/unit/check_spread
check_PROGRAMS += $(levels_checks)
TESTS += $(levels_checks)
EXTRA_DIST += tests/unit/machines.h
tests_unit_check_levels_CFLAGS = $(unit_cflags)
tests_unit_check_levels_LDADD = $(unit_ldadd)
tests_unit_check_rounds_CFLAGS = $(unit_cflags)
tests_unit_check_rounds_LDADD = $(unit_ldadd)
tests_unit_check_paths_CFLAGS = $(unit_cflags)
tests_unit_check_paths_LDADD = $(unit_ldadd)
tests_unit_check_lanes_CFLAGS = $(unit_cflags)
tests_unit_check_lanes_LDADD = $(unit_ldadd)
tests_unit_check_sums_CFLAGS = $(unit_cflags)
tests_unit_check_sums_LDADD = $(unit_ldadd)
tests_unit_check_spread_CFLAGS = $(unit_cflags)
tests_unit_check_spread_LDADD = $(unit_ldadd)
