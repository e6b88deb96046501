. "$TOP_SRCDIR/tests/mpi/run.sh"
counts "2 5" "2 3 5 8"
program=$TOP_BUILDDIR/tests/mpi/test_pool
run_at_all_counts "$program"
rank_counts=4
run_at_all_counts "${named[@]}" "$program" named
finish
