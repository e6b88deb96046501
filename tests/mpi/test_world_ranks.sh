. "$TOP_SRCDIR/tests/mpi/run.sh"
counts "2 7" "2 7 16"
run_at_all_counts "$TOP_BUILDDIR/tests/mpi/test_world_ranks"
finish
