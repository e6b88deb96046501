check_PROGRAMS += tests/unit/check_tuning
TESTS += tests/unit/check_tuning
tests_unit_check_tuning_CFLAGS = $(unit_cflags)
tests_unit_check_tuning_LDADD = $(unit_ldadd)
