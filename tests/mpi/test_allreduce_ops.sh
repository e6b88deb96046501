. "$TOP_SRCDIR/tests/mpi/run.sh"
counts "1 2 3 4 7 16" "1 2 3 4 7 8 16"
run_at_all_counts "$TOP_BUILDDIR/tests/mpi/test_allreduce_ops"
finish
