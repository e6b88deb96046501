. "$TOP_SRCDIR/tests/mpi/run.sh"
rank_counts=4
run_at_all_counts "$TOP_BUILDDIR/tests/mpi/test_constructors"
finish
