# MPI_Alltoallv of programs that know nothing of the library, with the library preloaded.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
program=$TOP_BUILDDIR/tests/preload/exchange
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect NAME PATTERNS -- [NAME=VALUE]... PROGRAM [ARGUMENT]...: four preloaded ranks on two nodes; the output holds every pattern (one a line).
expect() {
    local name=$1 patterns=$2 settings=() out pattern
    shift 3
    while [[ $1 == *=* ]]; do settings+=(-x "$1"); shift; done
    out=$(apart mpi 4 -x LD_PRELOAD="$library" -x "TOPOMPI_MACHINE=synthetic:node:2 core:2" -x TOPOMPI_STATS=1 "${settings[@]}" "$@")
    while read -r pattern; do
        grep -qE -- "$pattern" <<<"$out" || { fail "$name" "no '$pattern' in: $out"; return; }
    done <<<"$patterns"
    pass "$name"
}

expect "by itself" $'^ok$\nalltoallv .* native\nalltoallv .* node_aware' -- "$program" 200
for algorithm in direct node_aware drc sdrc ggp css; do
    for barrier in auto none send sendrecv uneven; do
        # The program's table has no recurrence.
        expect "$algorithm, barrier $barrier" $'^ok$\n'"alltoallv .* ${algorithm/css/(css|drc)}" -- \
            TOPOMPI_ALLTOALLV=$algorithm TOPOMPI_ALLTOALLV_SYNC=$barrier "$program" 120
        [[ $algorithm == direct || $algorithm == node_aware ]] && break
    done
done
expect "what runs and why" $'^ok$\nalltoallv of [0-9]+ bytes, 4 ranks on 2 nodes: drc, as TOPOMPI_ALLTOALLV says$' -- \
    TOPOMPI_ALLTOALLV=drc TOPOMPI_VERBOSE=1 "$program"
expect "a form that another took the place of" $'^ok$\nTOPOMPI_ALLTOALLV=balanced is now TOPOMPI_ALLTOALLV=sdrc\nalltoallv .* sdrc' -- \
    TOPOMPI_ALLTOALLV=balanced TOPOMPI_STRICT=1 "$program" 120
expect "an option under its old name" $'^ok$\nTOPOMPI_BARRIER=send is now TOPOMPI_ALLTOALLV_SYNC=send\nTOPOMPI_ALLTOALLV_SYNC=send' -- \
    TOPOMPI_BARRIER=send TOPOMPI_ALLTOALLV=drc TOPOMPI_VERBOSE=1 "$program"
expect "an unknown barrier" $'^ok$\nTOPOMPI_ALLTOALLV_SYNC=fence.*none send sendrecv' -- TOPOMPI_ALLTOALLV_SYNC=fence "$program"

expect "with calls in place between" $'^ok$' -- "$program" 80 in-place

for binding in mpifh f08; do
    if [ -z "${MPIFORT:-}" ]; then
        skip "Fortran $binding" "no mpifort (Debian: gfortran libopenmpi-dev)"
    elif ! "$MPIFORT" -fallow-argument-mismatch "-D$binding" -o "$work/$binding" "$TOP_SRCDIR/tests/preload/binding.F90" -J "$work" > "$work/log" 2>&1; then
        skip "Fortran $binding" "does not compile: $(tail -n 3 "$work/log" | tr '\n' ' ')"
    else
        expect "Fortran $binding" $'^ok$\nalltoallv .* node_aware' -- TOPOMPI_ALLTOALLV=node_aware "$work/$binding"
    fi
done
finish
