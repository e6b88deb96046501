# Threads that call collectives at the same time, with the library preloaded and all that it can be told to do besides.
# Built with -fsanitize=thread (tests/sanitize thread) it shows data races.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
program=$TOP_BUILDDIR/tests/preload/threads
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MPI_TIMEOUT=${MPI_TIMEOUT:-100}

# threads NAME N NAME=VALUE...: the program found nothing wrong.
threads() {
    local name=$1 n=$2 settings=() out
    shift 2
    for setting; do settings+=(-x "$setting"); done
    out=$(apart mpi "$n" -x LD_PRELOAD="$library" "${settings[@]}" "$program" 16)
    case $out in
    "no MPI_THREAD_MULTIPLE"*) skip "$name" "$out" ;;
    *) if grep -q '^ok$' <<<"$out"; then pass "$name"; else fail "$name" "$out"; fi ;;
    esac
}

nodes="TOPOMPI_MACHINE=synthetic:node:2 core:2"
messages=(TOPOMPI_ALLGATHER=bruck_reorder TOPOMPI_ALLREDUCE=cyclic TOPOMPI_ALLTOALLV=css TOPOMPI_ALLTOALL=direct)
short=(TOPOMPI_ALLGATHER=leader TOPOMPI_ALLREDUCE=leader TOPOMPI_ALLTOALLV=node_aware TOPOMPI_BARRIER=leader
    TOPOMPI_BCAST=leader TOPOMPI_REDUCE=leader TOPOMPI_ALLGATHERV=leader TOPOMPI_ALLTOALL=node_aware
    TOPOMPI_REDUCE_SCATTER=leader TOPOMPI_REDUCE_SCATTER_BLOCK=leader)
long=(TOPOMPI_ALLGATHER=lanes TOPOMPI_ALLREDUCE=lanes TOPOMPI_BCAST=chain TOPOMPI_REDUCE=chain TOPOMPI_ALLGATHERV=radix
    TOPOMPI_REDUCE_SCATTER=lanes TOPOMPI_REDUCE_SCATTER_BLOCK=lanes)
threads "by itself, reported" 2 TOPOMPI_STATS=1 TOPOMPI_VERBOSE=1
threads "messages, reported" 4 "$nodes" "${messages[@]}" TOPOMPI_STATS=1 TOPOMPI_VERBOSE=1
threads "short calls, traced" 4 "$nodes" "${short[@]}" TOPOMPI_TRACE="$work/trace"
threads "long calls, little memory" 4 "$nodes" "${long[@]}" TOPOMPI_SHARED=400K
threads "verdicts" 4 "$nodes" TOPOMPI_TUNING="learn:$work/verdicts"
threads "prepared" 4 "$nodes" "${short[@]}" TOPOMPI_PREPARE=create
# Settings that do not apply are told of once.
threads "refused" 3 TOPOMPI_ALLGATHER=recursive_doubling TOPOMPI_ALLREDUCE=cyclic TOPOMPI_CYCLIC_GRID=5x5
finish
