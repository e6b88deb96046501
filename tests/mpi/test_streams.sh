. "$TOP_SRCDIR/tests/mpi/run.sh"
counts "16" "7 12 16"
run_at_all_counts "$TOP_BUILDDIR/tests/mpi/test_streams"
finish
