# unit tests of predict; their traces are in tests/data
predict_checks = tests/unit/check_dvm_model tests/unit/check_libdvm tests/unit/check_dvm_map tests/unit/check_trace tests/unit/check_replay
predict_cflags = $(unit_cflags) -DTEST_DATA='"$(abs_top_srcdir)/tests/data"'
predict_ldadd = $(unit_ldadd) -lm
check_PROGRAMS += $(predict_checks)
TESTS += $(predict_checks)
EXTRA_DIST += tests/data/dvm
tests_unit_check_dvm_model_CFLAGS = $(predict_cflags)
tests_unit_check_dvm_model_LDADD = $(predict_ldadd)
tests_unit_check_libdvm_CFLAGS = $(predict_cflags)
tests_unit_check_libdvm_LDADD = $(predict_ldadd)
tests_unit_check_dvm_map_CFLAGS = $(predict_cflags)
tests_unit_check_dvm_map_LDADD = $(predict_ldadd)
tests_unit_check_trace_CFLAGS = $(predict_cflags)
tests_unit_check_trace_LDADD = $(predict_ldadd)
TESTS += tests/unit/test_topo_predict.sh tests/unit/test_topo_predict_mpi.sh
EXTRA_DIST += tests/unit/test_topo_predict.sh tests/unit/test_topo_predict_mpi.sh tests/unit/write_trace.py
tests_unit_check_replay_CFLAGS = $(predict_cflags)
tests_unit_check_replay_LDADD = $(predict_ldadd)
check_PROGRAMS += tests/unit/check_machine_file
TESTS += tests/unit/check_machine_file
tests_unit_check_machine_file_CFLAGS = $(predict_cflags)
tests_unit_check_machine_file_LDADD = $(predict_ldadd)
