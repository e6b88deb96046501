. "$TOP_SRCDIR/tests/mpi/run.sh"
rank_counts=${RANK_COUNTS:-2 3 4 8 12 16}
run_at_all_counts "$TOP_BUILDDIR/tests/mpi/test_traffic"
finish
