. "$TOP_SRCDIR/tests/mpi/run.sh"
counts "2 3 4 7 16" "2 3 4 5 7 8 16"
run_at_all_counts "$TOP_BUILDDIR/tests/mpi/test_user_ops"
finish
