# Topologies with reorder under TOPOMPI_REORDER, in C and Fortran, Open MPI and MPICH: as asked for, and fewer edges cross nodes.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
here=$TOP_SRCDIR/tests/preload
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# improved EXPECTED: the program's lines; EXPECTED of its topologies have fewer edges between nodes than in the ranks' order.
improved() {
    awk -v expected="$1" '/ edges cross nodes, / {sub(/.*: /, ""); all++; less += $1 < $5; more += $1 > $5}
        /^ok$/ {ok = 1} END {exit !(ok && !more && all == 8 && less == expected)}'
}

for nodes in 2 3; do
    for on in on off; do
        ranks=$((nodes == 2 ? 8 : 9))
        out=$(apart mpi $ranks -x LD_PRELOAD="$library" -x TOPOMPI_REORDER=$on \
            -x "TOPOMPI_MACHINE=synthetic:node:$nodes core:$((ranks / nodes)) by:node" "$TOP_BUILDDIR/tests/preload/reorder" $nodes)
        if improved $([ $on = on ] && echo 6 || echo 0) <<<"$out"; then pass "$ranks ranks, $on"; else fail "$ranks ranks, $on" "$out"; fi
    done
done
out=$(apart mpi 8 -x LD_PRELOAD="$library" -x TOPOMPI_REORDER=on -x TOPOMPI_VERBOSE=1 -x "TOPOMPI_MACHINE=synthetic:node:2 core:4 by:node" \
    "$TOP_BUILDDIR/tests/preload/reorder" 2)
if grep -q '^a topology of 8 ranks: edges of weight 4 cross nodes, 16 in the order of the ranks$' <<<"${out//topompi: /}"; then
    pass 'what was gained'
else
    fail 'what was gained' "$out"
fi

if [ -z "${MPIFORT:-}" ]; then
    skip 'Fortran' 'no mpifort'
elif ! "$MPIFORT" -fallow-argument-mismatch -J "$work" -o "$work/fortran" "$here/reorder.f90" >"$work/log" 2>&1; then
    skip 'Fortran' "does not compile: $(tail -n 3 "$work/log" | tr '\n' ' ')"
else
    out=$(apart mpi 8 -x LD_PRELOAD="$library" -x TOPOMPI_REORDER=on -x "TOPOMPI_MACHINE=synthetic:node:2 core:4 by:node" "$work/fortran")
    if grep -q '^ok$' <<<"$out"; then pass 'Fortran'; else fail 'Fortran' "$out"; fi
fi

if ! command -v mpicc.mpich >/dev/null || [ ! -e "$TOP_BUILDDIR/src/.libs/libtopompi-core-mpich.so" ]; then
    skip 'MPICH' 'no mpicc.mpich, or no core for it'
elif check 'MPICH compiles' mpicc.mpich -w -O1 -o "$work/mpich" "$here/reorder.c"; then
    out=$(apart timeout 100 mpiexec.mpich -n 8 -env LD_PRELOAD "$library" -env TOPOMPI_REORDER on \
        -env TOPOMPI_MACHINE "synthetic:node:2 core:4 by:node" "$work/mpich" 2)
    if improved 6 <<<"$out"; then pass 'MPICH'; else fail 'MPICH' "$out"; fi
fi
finish
