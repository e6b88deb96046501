. "$TOP_SRCDIR/tests/mpi/run.sh"
rank_counts=${RANK_COUNTS:-1}
run_at_all_counts "$TOP_BUILDDIR/tests/mpi/test_operands"
finish
