. "$TOP_SRCDIR/tests/mpi/run.sh"
counts "2 5" "2 3 5 8"
run_at_all_counts "$TOP_BUILDDIR/tests/mpi/test_tags"
finish
