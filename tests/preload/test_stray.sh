# What ranks agree on does not meet messages that the MPI library left in the program's communicator: natively so, and with
# each form whose ranks agree on more than tags.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
program=$TOP_BUILDDIR/tests/preload/stray
export MPI_TIMEOUT=70
right() {
    local n=$1
    shift
    [ "$(mpi "$n" -x LD_PRELOAD="$library" -x TOPOMPI_BCAST=native -x "TOPOMPI_MACHINE=synthetic:node:2 core:$(((n + 1) / 2)),$((n / 2))" \
        "$@" "$program")" = ok ]
}
for form in ggp css drc sdrc; do
    check "a stray message, alltoallv $form" right 4 -x TOPOMPI_ALLTOALLV=$form
done
check "a stray message, allreduce cyclic" right 5 -x TOPOMPI_ALLREDUCE=cyclic
check "a stray message, auto" right 5
check "a stray message, allreduce recursive_doubling_renumbered" right 4 -x TOPOMPI_ALLREDUCE=recursive_doubling_renumbered
finish
