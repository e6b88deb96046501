. "$TOP_SRCDIR/tests/mpi/run.sh"
counts "2 5 16" "2 3 5 8 16"
program=$TOP_BUILDDIR/tests/mpi/test_shared
run_at_all_counts "$program"
rank_counts=3
run_at_all_counts "${named[@]}" "$program" named
on_small_shm 4 "$program" named
finish
