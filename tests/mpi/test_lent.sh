. "$TOP_SRCDIR/tests/mpi/run.sh"
counts "1 3 4 7 16" "1 2 3 4 5 6 7 8 12 16"
program=$TOP_BUILDDIR/tests/mpi/test_lent
run_at_all_counts "$program"
on_small_shm 4 "$program" small
finish
