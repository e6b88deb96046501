/^check_PROGRAMS += tests\/mpi\/test_lifetime/i\
check_PROGRAMS += tests/mpi/test_neighbor_allgather\
tests_mpi_test_neighbor_allgather_CFLAGS = $(mpi_test_cflags)\
tests_mpi_test_neighbor_allgather_LDADD = $(mpi_test_ldadd)\
TESTS += tests/mpi/test_neighbor_allgather.sh\
EXTRA_DIST += tests/mpi/test_neighbor_allgather.sh\

