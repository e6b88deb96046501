# unit tests of schedule
schedule_checks = \
	tests/unit/check_matrix \
	tests/unit/check_schedule \
	tests/unit/check_drc \
	tests/unit/check_ggp \
	tests/unit/check_redistribute \
	tests/unit/check_css \
	tests/unit/check_balance \
	tests/unit/check_matrix_file
check_PROGRAMS += $(schedule_checks)
TESTS += $(schedule_checks) tests/unit/test_schedule.sh
EXTRA_DIST += tests/unit/schedule.h tests/unit/test_schedule.sh
tests_unit_check_matrix_CFLAGS = $(unit_cflags)
tests_unit_check_matrix_LDADD = $(unit_ldadd)
tests_unit_check_schedule_CFLAGS = $(unit_cflags)
tests_unit_check_schedule_LDADD = $(unit_ldadd)
tests_unit_check_drc_CFLAGS = $(unit_cflags)
tests_unit_check_drc_LDADD = $(unit_ldadd)
tests_unit_check_ggp_CFLAGS = $(unit_cflags)
tests_unit_check_ggp_LDADD = $(unit_ldadd)
tests_unit_check_redistribute_CFLAGS = $(unit_cflags)
tests_unit_check_redistribute_LDADD = $(unit_ldadd)
tests_unit_check_css_CFLAGS = $(unit_cflags)
tests_unit_check_css_LDADD = $(unit_ldadd)
tests_unit_check_balance_CFLAGS = $(unit_cflags)
tests_unit_check_balance_LDADD = $(unit_ldadd)
tests_unit_check_matrix_file_CFLAGS = $(unit_cflags)
tests_unit_check_matrix_file_LDADD = $(unit_ldadd)
