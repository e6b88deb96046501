# What others ask of a rank that waits in a collective, and what it finds after it, with the library preloaded: two nodes of two ranks, and one node.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
program=$TOP_BUILDDIR/tests/preload/progress
export MPI_TIMEOUT=120

# served NAME N [NAME=VALUE]... [threads|sparse]
served() {
    local name=$1 n=$2 settings=(-x LD_PRELOAD="$library") out
    shift 2
    [ "$n" = 4 ] && settings+=(-x "TOPOMPI_MACHINE=synthetic:node:2 core:2")
    while [[ ${1:-} == *=* ]]; do settings+=(-x "$1"); shift; done
    out=$(apart mpi "$n" "${settings[@]}" "$program" "$@")
    if [ "$out" = "no MPI_THREAD_MULTIPLE" ]; then
        skip "$name" "$out"
    elif grep -q '^ok$' <<<"$out"; then
        pass "$name"
    else
        fail "$name" "$out"
    fi
}

by_itself=()
short=(TOPOMPI_ALLGATHER=leader TOPOMPI_ALLREDUCE=leader TOPOMPI_ALLTOALLV=node_aware TOPOMPI_BARRIER=leader TOPOMPI_BCAST=leader TOPOMPI_REDUCE=leader TOPOMPI_ALLGATHERV=leader TOPOMPI_ALLTOALL=node_aware TOPOMPI_REDUCE_SCATTER=leader TOPOMPI_REDUCE_SCATTER_BLOCK=leader)
long=(TOPOMPI_ALLGATHER=lanes TOPOMPI_ALLREDUCE=lanes TOPOMPI_ALLTOALLV=direct TOPOMPI_BCAST=chain TOPOMPI_REDUCE=chain TOPOMPI_ALLGATHERV=lanes TOPOMPI_ALLTOALL=direct TOPOMPI_REDUCE_SCATTER=lanes TOPOMPI_REDUCE_SCATTER_BLOCK=lanes)

for set in by_itself short long; do
    declare -n settings=$set
    for n in 2 4 5; do
        served "$n ranks, ${set//_/ }" "$n" "${settings[@]}"
        served "$n ranks and threads, ${set//_/ }" "$n" "${settings[@]}" threads
        # Accesses as messages through sockets, which only the target's progress serves.
        MPI_BTL=self,tcp served "$n ranks by messages, ${set//_/ }" "$n" OMPI_MCA_osc=pt2pt "${settings[@]}"
    done
done
# Messages from before a call that are looked for once after it.
for n in 2 4 5; do
    served "$n ranks, probes after a call" "$n" "${short[@]}" sparse
done
finish
