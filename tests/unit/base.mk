check_PROGRAMS += tests/unit/check_text tests/unit/check_options
TESTS += tests/unit/check_text tests/unit/check_options
tests_unit_check_text_CFLAGS = $(unit_cflags)
tests_unit_check_text_LDADD = $(unit_ldadd)
tests_unit_check_options_CFLAGS = $(unit_cflags)
tests_unit_check_options_LDADD = $(unit_ldadd)
