# Limits on what a process may have, on all ranks or on one alone: the job goes on as it does without the library.
# LIMITS: which of them (default: file files memory; the stack always).
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
program=$TOP_BUILDDIR/tests/preload/limits
export MPI_TIMEOUT=100
shared=()
for setting in ALLGATHER=leader ALLREDUCE=lanes ALLTOALLV=node_aware BARRIER=tree BCAST=leader REDUCE=chain \
    ALLGATHERV=radix ALLTOALL=node_aware REDUCE_SCATTER=lanes REDUCE_SCATTER_BLOCK=lanes; do
    shared+=(-x "TOPOMPI_$setting")
done

# compare NAME COMMAND...: ok preloaded, where it is natively. N: ranks.
compare() {
    local name=$1 out
    shift
    if ! grep -q '^ok$' <<<"$(apart mpi "$N" "$@")"; then
        skip "$name" "the job does not get by with this without the library either"
        return
    fi
    for settings in by_itself shared; do
        local -n words=$settings
        out=$(apart mpi "$N" -x LD_PRELOAD="$library" "${words[@]}" "$@")
        if grep -q '^ok$' <<<"$out"; then pass "$name, ${settings//_/ }"; else fail "$name, ${settings//_/ }" "$out"; fi
    done
}

by_itself=()
for who in all one; do
    for limit in ${LIMITS:-file files memory}; do
        N=4 compare "limit on $limit, $who" "$program" $limit $who
        N=4 compare "limit on $limit, $who, two nodes" -x "TOPOMPI_MACHINE=synthetic:node:2 core:2" "$program" $limit $who
    done
done
N=4 compare "memory after a long call" "$program" after all
N=4 compare "a small stack" "$program" stack all

# `ulimit -f` below the length of a segment, above that of the MPI library's own files, before the program starts.
for who in 0 '[0-9]*'; do
    # shellcheck disable=SC2016 # the rank's shell expands them
    N=8 compare "ulimit -f, ranks $who" bash -c \
        'case $OMPI_COMM_WORLD_RANK in '"$who"') ulimit -f 6144 ;; esac; exec "$0" none all' "$program"
done
finish
