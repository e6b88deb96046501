. "$TOP_SRCDIR/tests/mpi/run.sh"
counts "2 3 5 16" "2 3 5 8 16"
program=$TOP_BUILDDIR/tests/mpi/test_shared
run_at_all_counts "$program"
on_small_shm 4 "$program"
finish
