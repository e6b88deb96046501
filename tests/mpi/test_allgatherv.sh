. "$TOP_SRCDIR/tests/mpi/run.sh"
counts "1 2 4 7 16" "1 2 3 4 5 6 7 8 12 16"
run_at_all_counts "$TOP_BUILDDIR/tests/mpi/test_allgatherv"
finish
