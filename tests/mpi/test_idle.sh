. "$TOP_SRCDIR/tests/mpi/run.sh"
counts "2 5" "2 3 4 5 8"
program=$TOP_BUILDDIR/tests/mpi/test_idle
run_at_all_counts "$program"
finish
