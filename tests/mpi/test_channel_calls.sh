. "$TOP_SRCDIR/tests/mpi/run.sh"
counts "2 3 5 7 16" "2 3 4 5 6 7 8 11 12 16"
run_at_all_counts "$TOP_BUILDDIR/tests/mpi/test_channel_calls"
finish
