. "$TOP_SRCDIR/tests/mpi/run.sh"
run_at_all_counts "$TOP_BUILDDIR/tests/mpi/test_neighbor_allgather"
finish
