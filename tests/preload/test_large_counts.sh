# The forms of collectives with large counts (MPI 4: MPI_Allreduce_c ...) beside the native ones: ranks mix them with the others,
# by auto and by forms of ours. Where the MPI library has none of them, libtopompi.so's do what MPI_X does.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
program=$TOP_BUILDDIR/tests/preload/large_counts
no_memory=$TOP_BUILDDIR/tests/preload/.libs/no_memory.so
export MPI_TIMEOUT=100
built "$library" "$program" "$no_memory"
. "$TOP_SRCDIR/tests/preload/large_counts.sh"
large_counts "$library" "$program"
if [ "$MPI_KIND" = openmpi ]; then # MPICH of Debian does not look at arguments
    check "errors" good "$library" "$program" mistakes
    out=$(apart mpi 1 -x LD_PRELOAD="$no_memory:$library" -x FAIL_RANK=0 -x FAIL_LIBRARY=libtopompi.so "$program" scarce)
    [ "$out" = ok ] && pass "memory is out" || fail "memory is out" "$out"
fi
finish
