# Every call of MPI is in the report by its name, exactly once: from C, from Fortran by each of its bindings, with Open MPI and
# MPICH; after an abort, too.
. "$TOP_SRCDIR/tests/lib.sh"
here=$TOP_SRCDIR/tests/preload library=$TOP_BUILDDIR/src/.libs/libtopompi.so
built "$library" "$TOP_BUILDDIR/tools/topo-dump/topo-dump"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/files" "$work/kept"

# as_called REPORT OUTPUT: the report's functions are those that OUTPUT says, with these calls and bytes.
as_called() {
    grep -q '^ok$' "$2" && python3 - "$@" <<'PYTHON'
import json, sys
whole = json.load(open(sys.argv[1]))["all"]
said = [line.split() for line in open(sys.argv[2])]
called = {words[1]: int(words[2]) for words in said if words[0] == "called"}
counted = {f["function"]: f["calls"] for f in whole["functions"]}
assert called == counted, (set(called.items()) ^ set(counted.items()))
of = {f["function"]: f for f in whole["functions"]}
for words in said:
    assert words[0] != "bytes" or of[words[1]]["bytes"] == int(words[2]), (words, of[words[1]])
assert abs(sum(f["ns"] for f in whole["functions"]) - sum(r["mpi_ns"] for r in whole["ranks"])) <= len(counted) + 4, whole
assert whole["total"]["ns"] <= whole["total"]["mpi_ns"], whole
assert all(f["ranks"] == 4 and (f["ns"] > 0 or f["function"] == "MPI_Pcontrol") for f in whole["functions"]), whole
PYTHON
}
# counted NAME PROGRAM: four ranks; as the program says, or as its text has it.
counted() {
    local name=$1
    rm -f "$work/report.json"
    mpi 4 -x LD_PRELOAD="$library" -x TOPOMPI_STATS="$work/report.json" -x "TOPOMPI_MACHINE=synthetic:node:2 core:2" \
        "$2" "$work/files" >"$work/out" 2>"$work/error"
    [[ $2 == */counted ]] || grep -v '^ *call MPI_\(Init\|Finalize\)(' "$here/counted.F90" | grep -oE 'MPI_[A-Z][a-z_]+\(' | tr -d '(' |
        grep -vE '^MPI_(Info|File|Request)$' | sort | uniq -c | awk '{ print "called", $2, 4 * $1 }' >>"$work/out"
    check "$name" as_called "$work/report.json" "$work/out"
}
# with MPI WRAPPER FORTRAN...: all bindings.
with() {
    local mpi=$1 binding
    command -v "$2" >/dev/null || { skip "$mpi" "no $2" && return; }
    check "$mpi, a program" "$2" -std=gnu11 -D_GNU_SOURCE -O1 -o "$work/counted" "$here/counted.c" -ldl
    counted "$mpi, C" "$work/counted"
    for binding in mpifh usempi f08; do
        if "$3" -fallow-argument-mismatch -ffree-line-length-none "-D$binding" -J "$work" -o "$work/$binding" "$here/counted.F90" >"$work/log" 2>&1; then
            counted "$mpi, Fortran $binding" "$work/$binding"
        else
            skip "$mpi, Fortran $binding" "does not compile: $(tail -n 3 "$work/log" | tr '\n' ' ')"
        fi
    done
}
for core in ompi:Open\ MPI:openmpi mpich:MPICH:mpich; do
    IFS=: read -r core name suffix <<<"$core"
    if [ ! -e "${library%/*}/libtopompi-core-$core.so" ]; then skip "$name" "this tree has no core for it" && continue; fi
    export MPI_KIND=$suffix MPIRUN=mpirun.$suffix
    with "$name" "mpicc.$suffix" "mpifort.$suffix"
    [ -x "$work/counted" ] || continue
    mpi 4 -x LD_PRELOAD="$library" -x TOPOMPI_STATS=on -x TOPOMPI_STATS_KEEP="$work/kept" "$work/counted" "$work/files" abort \
        >"$work/out" 2>"$work/error"
    check "$name, after MPI_Abort" "$TOP_BUILDDIR/tools/topo-dump/topo-dump" stats --remove --format json -o "$work/left.json" "$work/kept"
    check "$name, all is there" as_called "$work/left.json" "$work/out"
    rm -f "$work/counted" "$work/files"/left*
done
finish
