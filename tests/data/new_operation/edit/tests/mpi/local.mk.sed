/^check_PROGRAMS += tests\/mpi\/test_lifetime/i\
check_PROGRAMS += tests/mpi/test_scan\
tests_mpi_test_scan_CFLAGS = $(mpi_test_cflags)\
tests_mpi_test_scan_LDADD = $(mpi_test_ldadd)\
TESTS += tests/mpi/test_scan.sh\
EXTRA_DIST += tests/mpi/test_scan.sh\

