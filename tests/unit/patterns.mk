# unit tests of patterns
patterns_checks = tests/unit/check_levels tests/unit/check_node_steps tests/unit/check_paths tests/unit/check_gather_lanes \
	tests/unit/check_reduce_plan tests/unit/check_bcast_tree
check_PROGRAMS += $(patterns_checks)
TESTS += $(patterns_checks)
EXTRA_DIST += tests/unit/machines.h
tests_unit_check_levels_CFLAGS = $(unit_cflags)
tests_unit_check_levels_LDADD = $(unit_ldadd)
tests_unit_check_node_steps_CFLAGS = $(unit_cflags)
tests_unit_check_node_steps_LDADD = $(unit_ldadd)
tests_unit_check_paths_CFLAGS = $(unit_cflags)
tests_unit_check_paths_LDADD = $(unit_ldadd)
tests_unit_check_gather_lanes_CFLAGS = $(unit_cflags)
tests_unit_check_gather_lanes_LDADD = $(unit_ldadd)
tests_unit_check_reduce_plan_CFLAGS = $(unit_cflags)
tests_unit_check_reduce_plan_LDADD = $(unit_ldadd)
tests_unit_check_bcast_tree_CFLAGS = $(unit_cflags)
tests_unit_check_bcast_tree_LDADD = $(unit_ldadd)
check_PROGRAMS += tests/unit/check_grid tests/unit/check_allreduce_steps
TESTS += tests/unit/check_grid tests/unit/check_allreduce_steps
tests_unit_check_grid_CFLAGS = $(unit_cflags)
tests_unit_check_grid_LDADD = $(unit_ldadd)
tests_unit_check_allreduce_steps_SOURCES = tests/unit/check_allreduce_steps.c tests/unit/allreduce_steps.c tests/unit/allreduce_steps.h
tests_unit_check_allreduce_steps_CFLAGS = $(unit_cflags)
tests_unit_check_allreduce_steps_LDADD = $(unit_ldadd)
