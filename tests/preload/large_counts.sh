# What tests/preload/large_counts.c finds, for the tests of this tree's MPI and of another.

# good LIBRARY PROGRAM MODE... [-- NAME=VALUE...]: four ranks say ok; the report is in $out.
good() {
    local settings=(-x LD_PRELOAD="$1" -x TOPOMPI_STATS=1 -x "TOPOMPI_MACHINE=synthetic:node:2 core:2") words=()
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do words+=("$1") && shift; done
    while [ $# -gt 1 ]; do settings+=(-x "$2") && shift; done
    out=$(apart mpi 4 "${settings[@]}" "${words[@]}")
    grep -qx ok <<<"$out" || { echo "$out" && return 1; }
}
# Each of the operations' calls is in the report, and some are ours.
counted() {
    local total ours
    read -r total ours < <(sed -nE 's/.*total: ([0-9]+) calls, ([0-9]+) of them.*/\1 \2/p' <<<"$out")
    [ "${total:-0}" -gt "$1" ] && [ "$ours" -gt 0 ]
}
large_counts() { # LIBRARY PROGRAM
    good "$@" random 1 200 && counted 200 && pass "by auto" || fail "by auto" "$out"
    good "$@" random 2 200 -- TOPOMPI_ALLGATHER=bruck_reorder TOPOMPI_ALLREDUCE=lanes TOPOMPI_BCAST=leader TOPOMPI_REDUCE=leader \
        TOPOMPI_ALLGATHERV=lanes TOPOMPI_ALLTOALL=direct TOPOMPI_REDUCE_SCATTER=leader TOPOMPI_REDUCE_SCATTER_BLOCK=leader \
        TOPOMPI_ALLTOALLV=css && counted 200 && pass "by name" || fail "by name" "$out"
    check "without memory to share" good "$@" random 3 100 -- TOPOMPI_SHARED=0 TOPOMPI_REDUCE_SCATTER=leader TOPOMPI_REDUCE=leader
    check "switched off" good "$@" random 4 60 -- TOPOMPI=off
    check "displacements beyond 2^31" good "$@" far
    check "the same, directly" good "$@" far -- TOPOMPI_ALLTOALLV=direct TOPOMPI_ALLGATHERV=lanes
}
