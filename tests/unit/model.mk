# unit tests of model
model_checks = tests/unit/check_tuning tests/unit/check_cost
check_PROGRAMS += $(model_checks)
TESTS += $(model_checks)
tests_unit_check_tuning_CFLAGS = $(unit_cflags)
tests_unit_check_tuning_LDADD = $(unit_ldadd)
tests_unit_check_cost_CFLAGS = $(unit_cflags)
tests_unit_check_cost_LDADD = $(unit_ldadd) -lm
check_PROGRAMS += tests/unit/check_transfer
TESTS += tests/unit/check_transfer
tests_unit_check_transfer_CFLAGS = $(unit_cflags)
tests_unit_check_transfer_LDADD = $(unit_ldadd) -lm

check_PROGRAMS += tests/unit/check_trial
TESTS += tests/unit/check_trial
tests_unit_check_trial_CFLAGS = $(unit_cflags)
tests_unit_check_trial_LDADD = $(unit_ldadd)

check_PROGRAMS += tests/unit/check_cost_allreduce
TESTS += tests/unit/check_cost_allreduce
tests_unit_check_cost_allreduce_CFLAGS = $(unit_cflags)
tests_unit_check_cost_allreduce_LDADD = $(unit_ldadd) -lm
check_PROGRAMS += tests/unit/check_select
TESTS += tests/unit/check_select
tests_unit_check_select_CFLAGS = $(unit_cflags)
tests_unit_check_select_LDADD = $(unit_ldadd)
