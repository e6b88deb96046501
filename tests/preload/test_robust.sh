# Mistakes, threads and unusual ends in programs that know nothing of the library, with the library preloaded.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
programs=$TOP_BUILDDIR/tests/preload
export MPI_TIMEOUT=100

# preloaded N [NAME=VALUE]... PROGRAM [ARGUMENT]...: on two nodes when N is 4.
preloaded() {
    local n=$1 settings=(-x LD_PRELOAD="$library")
    shift
    [ "$n" = 4 ] && settings+=(-x "TOPOMPI_MACHINE=synthetic:node:2 core:2")
    while [[ $1 == *=* ]]; do settings+=(-x "$1"); shift; done
    mpi "$n" "${settings[@]}" "$@" 2>&1
}

# ok NAME OUTPUT: the program found nothing wrong.
ok() {
    if grep -q '^ok$' <<<"$2"; then pass "$1"; else fail "$1" "$2"; fi
}

by_itself=()
messages=(TOPOMPI_ALLGATHER=bruck_reorder TOPOMPI_ALLREDUCE=cyclic TOPOMPI_ALLTOALLV=css)
shared=(TOPOMPI_ALLGATHER=leader TOPOMPI_ALLREDUCE=lanes TOPOMPI_ALLTOALLV=node_aware)

for set in by_itself messages shared; do
    declare -n settings=$set
    ok "mistakes in arguments, ${set//_/ }" "$(preloaded 4 "${settings[@]}" "$programs/mistakes")"
done
finish
