# The thread that a PMI socket passes through in PMPI_Init(), between a launcher and an MPI library of our own.
exec timeout 60 "$TOP_BUILDDIR/tests/mpi/test_relay"
