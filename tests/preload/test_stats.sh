# TOPOMPI_STATS as JSON: on standard error, in a file, of native calls alone, and where the file cannot be written.
. "$TOP_SRCDIR/tests/lib.sh"
. "$TOP_SRCDIR/tests/preload/passed.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
plain=$TOP_BUILDDIR/tests/preload/plain
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v python3 >/dev/null || { skip "TOPOMPI_STATS=json" "no python3" && finish; }
if ! mpi 2 true >/dev/null 2>&1; then skip "TOPOMPI_STATS=json" "mpirun does not work here" && finish; fi

# reported NAME=VALUE... -- PROGRAM ARGUMENT...: four ranks on two nodes; standard error in `error`.
reported() {
    local settings=(-x LD_PRELOAD="$library" -x "TOPOMPI_MACHINE=synthetic:node:2 core:2")
    while [ "$1" != -- ]; do settings+=(-x "$1") && shift; done
    shift
    mpi 4 "${settings[@]}" "$@" >"$work/out" 2>"$work/error" && grep -q '^ok$' "$work/out"
}
# holds FILE: JSON, whose sums are right; then each further argument, an expression of `r` and its rows `c`, is true.
holds() {
    python3 - "$@" <<'END' || { cat "$1"; return 1; }
import json, sys
text = open(sys.argv[1]).read()
r = json.loads(text[text.index("{"):]) if sys.argv[1].endswith("error") else json.loads(text)
c = r["calls"]
always = ["r['ranks'] == 4 and r['nodes'] == 2 and r['machine'].startswith('2 x node')", "'MPI' in r['mpi']",
          "'libtopompi-core-' in r['libraries'] and 'hwloc' in r['libraries'] and 'METIS' in r['libraries']",
          "sum(x['calls'] for x in c) == r['total']['calls'] > 0", "abs(sum(x['ns'] for x in c) - r['total']['ns']) <= len(c)",
          "sum(x['calls'] for x in c if x['ours']) == r['total']['ours']", "0 < r['total']['ns'] < r['total']['run_ns']",
          "all(x['ours'] == (x['algorithm'] != 'native') for x in c)"]
for expression in always + sys.argv[2:]:
    if not eval(expression):
        sys.exit("not so: " + expression)
END
}
check "a job with TOPOMPI_STATS=json" reported TOPOMPI_STATS=json TOPOMPI_ALLGATHER=bruck_reorder -- "$plain"
check "on standard error" holds "$work/error" "not r['off']" \
    "any(x['operation'] == 'allgather' and x['algorithm'] == 'bruck_reorder' for x in c)" "'plain, 4 ranks' in r['job']"
check "no table beside it" sh -c '! grep -q "^topompi:" "$0"' "$work/error"
check "a file" reported TOPOMPI_STATS="$work/report.json" TOPOMPI_ALLGATHER=ring -- "$plain"
check "in the file" holds "$work/report.json" "any(x['algorithm'] == 'ring' for x in c)"
check "and nowhere else" test ! -s "$work/error"
check "a page" reported TOPOMPI_STATS="$work/report.html" TOPOMPI_ALLGATHER=ring -- "$plain"
check "has the report inside" sh -c '"$1" stats "$2/report.html" -o "$2/inside.json"' - "$TOP_BUILDDIR/tools/topo-dump/topo-dump" "$work"
check "which is whole" holds "$work/inside.json" "any(x['algorithm'] == 'ring' for x in c)"
check "native calls" reported TOPOMPI=off TOPOMPI_STATS="$work/off.JSON" -- "$plain"
check "a baseline" holds "$work/off.JSON" "r['off'] and r['total']['ours'] == 0"
check "a name with quotes" reported TOPOMPI_STATS=json -- sh -c "ln -sf '$plain' '$work/a\"b\\'; exec '$work/a\"b\\'"
check "is escaped" holds "$work/error" "r['job'].startswith('a\"b\\\\, 4 ranks')"
check "a folder that is not there" reported TOPOMPI_STATS=/nowhere/r.json -- "$plain"
check "is told" grep -qx 'topompi: TOPOMPI_STATS=/nowhere/r.json: No such file or directory; there is no report' "$work/error"
check "collectives that are not taken over" reported TOPOMPI_STATS=json -- "$TOP_BUILDDIR/tests/preload/passed"
check "are counted" passed_as_called "$work/error" "$work/out"
check "the same in a table" reported TOPOMPI_STATS=on TOPOMPI_TRACE="$work/traces" -- "$TOP_BUILDDIR/tests/preload/passed"
check "each once where it is traced, too" passed_as_called "$work/error" "$work/out"
mkfifo "$work/fifo.json"
check "a FIFO that nobody reads" reported TOPOMPI_STATS="$work/fifo.json" -- "$plain"
check "is told" grep -qx "topompi: TOPOMPI_STATS=$work/fifo.json: not a regular file; there is no report" "$work/error"
check "a file that may not be so long" reported TOPOMPI_STATS="$work/long.json" -- "$TOP_BUILDDIR/tests/preload/measure" 0.01 limited
check "is told" grep -qx "topompi: TOPOMPI_STATS=$work/long.json: File too large; there is no report" "$work/error"
check "nobody else may read it" test "$(stat -c %a "$work/report.json")" = 600
check "a file that is there" reported TOPOMPI_STATS="$work/report.json" TOPOMPI_ALLGATHER=bruck -- "$plain"
check "stays, and is told" sh -c 'grep -q ring "$1/report.json" && grep -q bruck "$1/report-2.json" && grep -qx "topompi: $1/report.json is there already: the report is in $1/report-2.json" "$1/error"' - "$work"
check "a name with the job's number" reported TOPOMPI_STATS="$work/of-%j.json" SLURM_JOB_ID=77 SLURM_STEP_ID=3 -- "$plain"
check "has it, and the step's" holds "$work/of-77.3.json" "r['version'] == 2"

# All ranks: those of the report are together what each says; the late one is named, whoever's algorithm runs.
check "all ranks" holds "$work/of-77.3.json" "[x['rank'] for x in r['all']['ranks']] == [0, 1, 2, 3]" \
    "all(x['ended'] == 1 and 0 < x['ns'] < x['run_ns'] and x['waited_ns'] <= x['ns'] and x['memory_bytes'] > 0 for x in r['all']['ranks'])" \
    "abs(sum(x['ns'] for x in r['all']['calls']) - sum(x['ns'] for x in r['all']['ranks'])) < 1e5" \
    "r['all']['total']['calls'] == 4 * r['total']['calls']" "0 < r['all']['total']['load_balance'] <= 1" \
    "all(x['least_ns'] <= x['ns'] / x['ranks'] <= x['most_ns'] for x in r['all']['calls'])"
late=$TOP_BUILDDIR/tests/preload/late
# late NAME OPERATION MACHINE SETTING ARGUMENT...: rank 2 is named in a table and in JSON.
late() {
    local name=$1 operation=$2 machine=$3 setting=$4
    shift 4
    mpi 4 -x LD_PRELOAD="$library" -x TOPOMPI_MACHINE="synthetic:$machine" -x "$setting" -x TOPOMPI_STATS=on "$late" 2 "$@" >"$work/out" 2>&1
    check "$name" grep -qE "^topompi: rank 2 \(.*\) came late: (at least )?[0-9]+ % of the time in MPI_$operation was waiting for it .*; no library helps" "$work/out"
    check "$name, by its communicator" grep -qE "^topompi: ${operation,} .* (>=)?[0-9]+% .* solver$" "$work/out"
}
late "a late rank" Allreduce "node:1 core:4" TOPOMPI_ALLREDUCE=leader
late "a late rank, native" Allreduce "node:1 core:4" TOPOMPI=off
late "a late rank on one of two nodes" Allreduce "node:2 core:2 by:node" TOPOMPI_ALLREDUCE=lanes
late "a late root" Bcast "node:1 core:4" TOPOMPI_BCAST=leader rooted
check "where nothing can be seen nothing is guessed" mpi 4 -x LD_PRELOAD="$library" -x TOPOMPI_SHARED=0 -x TOPOMPI_STATS="$work/none.json" "$late" 2
check "but told" python3 - "$work/none.json" <<'END'
import json, sys
a = json.load(open(sys.argv[1]))["all"]
assert a["total"]["waited_ns"] == 0 and all(x["unknown_ns"] == x["ns"] for x in a["ranks"]) and "not known is how much of 100 %" in a["sentences"][-1], a
END
cd "$work" || exit
check "a file named from where the job began" reported TOPOMPI_STATS=began.json TOPOMPI_TUNING=learn:began.conf -- \
    "$TOP_BUILDDIR/tests/preload/measure" 0 away
check "lies there" holds began.json
check "so does what was found" grep -q '^# TopoMPI verdicts' began.conf
finish
