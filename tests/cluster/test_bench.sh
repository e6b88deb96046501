#!/bin/bash
# topo-bench under mpirun on this host, with a made-up machine of two nodes: what it refuses, that
# results are right for every operation, and that its outputs hold what they should.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
bench=${TOP_BUILDDIR:-$here/../..}/tools/topo-bench/topo-bench
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TOPOMPI_MACHINE="synthetic:node:2 core:2" MPI_TIMEOUT=240
if ! mpi 2 true >/dev/null 2>&1; then
    skip "topo-bench" "mpirun does not work here"
    finish
fi

# refused WORDS ARGUMENT...: status 2, one line of topo-bench that holds WORDS, no table.
refused() {
    local words=$1 out status
    shift
    out=$(apart mpi 4 "$bench" "$@")
    status=$?
    [ $status -eq 2 ] && [ "$(grep -c '^topo-bench: ' <<<"$out")" -eq 1 ] &&
        grep -q "^topo-bench: .*$words" <<<"$out" && ! grep -q "algorithm.*median" <<<"$out" ||
        { echo "exit status $status: $out"; false; }
}
# single STATUS WORDS ARGUMENT...: without mpirun.
single() {
    local wanted=$1 words=$2 out status
    shift 2
    out=$(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 "$bench" "$@" 2>&1)
    status=$?
    [ $status -eq "$wanted" ] && grep -q "$words" <<<"$out" || { echo "exit status $status: $out"; false; }
}
check "status of an unknown operation" single 2 "^topo-bench: unknown operation alltoallw" alltoallw
check "status of an unknown option" single 2 "^topo-bench: unknown option --frob" allgather --frob
check "status of a rate without unit" single 2 "^topo-bench: --rate: 'node=7': a rate with its unit" allgather --rate node=7
check "one rank alone" single 2 "start it with mpirun" allgather
check "help" single 0 "usage: mpirun" --help
check "unknown operation" refused "unknown operation alltoallw; allowed are allgather allreduce alltoallv .* levels reduce_local tune " alltoallw
check "unknown algorithm" refused "no such algorithm; allowed are native .* bruck_reorder" allgather -a fast
check "unknown component" refused "no fast of its own for allgather; allowed: native:COMPONENT" allgather -a native:fast
check "sizes that are no list" refused "no list of sizes" allgather -s 8,x
check "rate without unit" refused "a rate with its unit" allgather --rate node=1000
check "rate for a level that is not there" refused "level switch" allgather --rate switch=1gbit
check "more communicators than pairs" refused "--split 3: 4 ranks" allgather --split 3

check "MPI_Reduce_local and loops give the same bits" single 0 "1000  min float " reduce_local -s 1000 --time 0.01
check "reduce_local writes JSON" single 0 "1000  min float " reduce_local -s 1000 --time 0.01 --json "$folder/local.json"
check "reduce_local as JSON" python3 -c "
import json
calls = json.load(open('$folder/local.json'))['calls']
assert len(calls) == 6 and all(c['equal'] and c['mpi_us'] > 0 and c['ours_us'] > 0 for c in calls), calls"
check "sizes of reduce_local" single 2 "^topo-bench: --sizes: 'x' is no list" reduce_local -s x

check "several operations into one file" refused "need % in the names" allgather,allreduce --json x.json
check "the operations of tune into one file" refused "need % in the names" tune --tuning x.conf --json x.json
check "several operations as JSON" refused "--format json prints one operation" allgather,allreduce --format json
check "one unknown operation of two" refused "unknown operation x;" allgather,x
check "nothing is written" test ! -e x.json

quick=(--time 0.01 --samples 3..3 --batch 0 --no-link-test)
brief=(-s 64 --time 0.001 --samples 10..10 --batch 0 --calls streaming) # of guidelines
# measured OPERATION ARGUMENT...: every line of the table has its three times, no result is wrong.
measured() {
    local out
    out=$(apart mpi 4 "$bench" "$@" "${quick[@]}") && ! grep -q WRONG <<<"$out" && grep -Eq ' native +[0-9.]+ +[0-9.]+ +[0-9.]+ ' <<<"$out" ||
        { echo "$out"; false; }
}
# Right or wrong, not how fast: several at a time.
for operation in allgather allreduce alltoallv barrier bcast reduce allgatherv alltoall reduce_scatter reduce_scatter_block; do
    in_turn check "$operation" measured $operation -s 1,8,1000,70000 --rate node=1gbit
done
in_turn check "allgather with gaps" measured allgather -s 1,16,4096 --data gaps
in_turn check "alltoall with gaps" measured alltoall -s 16,4096 --data gaps
in_turn check "alltoallv with gaps" measured alltoallv -s 16,4096 --data gaps
in_turn check "two communicators at once" measured allgather -s 64 --split 2
in_turn check "neighbours in two communicators" measured allgather -s 64 --split 2:block
for op in sum prod max min; do
    for type in int long float double; do in_turn check "allreduce $op of $type" measured allreduce -s 8,1000 --op $op --type $type; done
done
in_turn check "allreduce bxor" measured allreduce -s 64 --op bxor --type long
in_turn check "a component of Open MPI" measured allgather -a native,native:basic -s 64
all_through

charts=() packets=()
if command -v python3 >/dev/null && command -v gnuplot >/dev/null; then
    charts=(--svg "$folder/one.svg") packets=(--svg "$folder/packets.svg")
else
    skip "charts" "python3 or gnuplot is missing"
fi
mpi 4 "$bench" allgather -s 64,1K -a native,auto,ring "${quick[@]}" --rate node=1gbit --label test \
    --json "$folder/one.json" "${charts[@]}" >"$folder/table"
check "heading" grep -q "4 ranks on 2 nodes (2 2), by slot; Open MPI .*, test" "$folder/table"
check "what auto took" grep -Eq "auto \([a-z_]+\)" "$folder/table"
# 2 blocks of 1,024 bytes at 1 Gbit/s: 16.4 us.
check "bound" grep -Eq "^ +1024  native .* 16\.4 " "$folder/table"
check "JSON" grep -q '"algorithm": "ring"' "$folder/one.json"
mpi 4 "$bench" allgather -s 64 -a native,ring "${quick[@]}" --format json >"$folder/printed.json"
check "JSON alone on standard output" python3 -c "
import json
report = json.load(open('$folder/printed.json'))
assert report['operation'] == 'allgather' and len(report['sizes']) == 1, report"
mpi 4 "$bench" levels --time 0.01 --format json >"$folder/printed.json"
check "levels as JSON" python3 -c "
import json
report = json.load(open('$folder/printed.json'))
assert report['tool'] == 'topo-bench levels' and report['levels'], report"
[ ${#charts[@]} -eq 0 ] || check "SVG" grep -q "</svg>" "$folder/one.svg"
check "report" "$bench" report --page "$folder/page.md" --charts charts- --command "make it so" "$folder/one.json"
check "the page" grep -q '^| 1K |' "$folder/page.md"
if [ ${#charts[@]} -gt 0 ]; then
    check "a chart in the page" grep -q "](charts-one.svg)" "$folder/page.md"
    check "the run's" cmp "$folder/one.svg" "$folder/charts-one.svg"
fi
if command -v python3 >/dev/null; then
    mkdir "$folder/bare"
    ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$folder/bare/python3"
    out=$(apart mpi 4 "$(command -v env)" PATH="$folder/bare" "$bench" allgather -s 8 "${quick[@]}" --svg "$folder/none.svg")
    check "without gnuplot a chart is refused before anything is measured" test "$?" = 1 \
        -a "$(grep -c '^topo-bench: --svg: gnuplot is missing' <<<"$out")" = 1 -a "$(grep -c 'algorithm.*median' <<<"$out")" = 0
fi
check "a summary alone" bash -c "'$bench' report --summary x,allgather,y '$folder/one.json' >'$folder/summary.md' &&
    grep -q '^### allgather\$' '$folder/summary.md' && ! grep -q .!\\[. '$folder/summary.md'"
check "a report that is none" bash -c "'$bench' report '$folder/table' 2>&1 | grep -q '^topo-bench: $folder/table:'"

mpi 4 "$bench" allreduce -s 8K,64K -a native,cyclic@0,cyclic@1K..16K:4 "${quick[@]}" "${packets[@]}" \
    >"$folder/packets"
check "packets in the table" bash -c "[ \$(grep -Ec 'cyclic@(0|1K|4K|16K) +[0-9.]+ ' '$folder/packets') -eq 8 ]"
[ ${#packets[@]} -eq 0 ] || check "rate over packet: a line for each size, dashed where there is no packet" bash -c \
    "grep -q 'MB/s' '$folder/packets.svg' && [ \$(grep -c '<title>cyclic@' '$folder/packets.svg') -eq 6 ] &&
     [ \$(grep -c dasharray '$folder/packets.svg') -eq 2 ]"
check "packets that are none" refused "--algorithms cyclic@: 'x' is no list of sizes: .*, or 0 alone$" allreduce -a cyclic@x
check "packets of another operation" refused "no such algorithm" allgather -a ring@4K
check "packets of the native one" refused "no such algorithm" allreduce -a native@4K

# Lengths that are not alike: an array redistributed, a table, several random graphs.
mpi 4 "$bench" alltoallv --redistribute "cyclic(3)@4 -> cyclic(4)@4" -s 4K -a native,css,drc@send "${quick[@]}" >"$folder/array"
check "an array: right, and the form of css is told" bash -c "grep -q ' css .*ran: algorithm' '$folder/array' &&
    grep -q ' drc@send ' '$folder/array' && ! grep -q 'WRONG\|FAILED' '$folder/array'"
check "an array of other ranks" refused "from 5 to 5 processes; here are 4 ranks" alltoallv --redistribute "cyclic(3)@5 -> cyclic(4)@5"
printf '0,100,50,0\n10,0,5,1\n1,2,3,4\n0,0,0,32\n' >"$folder/matrix.csv"
mpi 4 "$bench" alltoallv --matrix "$folder/matrix.csv" -a native,drc "${quick[@]}" >"$folder/matrix"
check "a matrix: its mean, right" bash -c "grep -q '^ *13  native' '$folder/matrix' && ! grep -q 'WRONG\|FAILED' '$folder/matrix'"
mpi 4 "$bench" alltoallv --graph N^2/4 --graphs 3 -s 1K -a native,drc,unscheduled@none,unscheduled@send,unscheduled@sendrecv,shifted@none,shifted@send,shifted@sendrecv "${quick[@]}" >"$folder/graphs"
check "graphs: right" bash -c "[ \$(grep -cE ' drc |unscheduled@|shifted@' '$folder/graphs') = 7 ] && ! grep -q 'WRONG\|FAILED' '$folder/graphs'"
check "graphs without one" refused "goes with --graph" alltoallv --graphs 3
check "a loop knows three ways to wait" refused "shifted@none, shifted@send, shifted@sendrecv" alltoallv -a shifted@uneven

# Several operations in one run, a file each.
mpi 4 "$bench" allgather,allreduce -s 64,1K -a native,all "${quick[@]}" --json "$folder/%.json" >"$folder/two"
check "two operations" test "$(grep -c '^# all' "$folder/two")" = 2
check "a file for each" grep -q '"operation": "allreduce"' "$folder/allreduce.json"
# Too little time for all of them: the slowest are called once, what the list names is sampled all the same.
mpi 4 "$bench" allgather -s 4K -a native,ring,all --time 0.000001 --samples 3..3 --batch 0 --no-link-test \
    --json "$folder/short.json" >"$folder/short"
check "called once" grep -q "one call" "$folder/short"
check "named ones in full" bash -c "! grep -Eq '(native|ring) .*one call' '$folder/short'"

# Without its guard `auto` has nothing to find out before the samples: some calls, not as many as five seconds hold.
out=$(TOPOMPI_GUARD=off TOPOMPI_STATS=1 mpi 4 "$bench" allgather -s 64 -a native,auto "${quick[@]}" 2>&1)
check "without its guard auto does not wait for it" test "$(sed -nE 's/^topompi: total: ([0-9]+) calls.*/\1/p' <<<"$out")" -lt 1000

# What is native stays so where the library is preloaded, too: the one total is that of topo-bench itself.
out=$(mpi 4 -x LD_PRELOAD="${TOP_BUILDDIR:-$here/../..}/src/.libs/libtopompi.so" -x TOPOMPI_STATS=1 "$bench" allgather -s 64 \
    -a native,ring "${quick[@]}" 2>&1)
check "the library preloaded" test "$(grep -cE '^topompi: total: .* [1-9][0-9]* of them by our' <<<"$out")" = 1

# faulty FAULT: topo-bench on an MPI library whose allgather of 64 bytes is at fault.
fault_library=${TOP_BUILDDIR:-$here/../..}/tests/cluster/.libs/fault.so
faulty() {
    out=$(mpi 4 -x LD_PRELOAD="$fault_library" -x FAULT="$1" "$bench" allgather -s 8,64,128 -a native,ring "${quick[@]}" \
        --json "$folder/$1.json" 2>&1)
    status=$?
}
faulty none
check "no fault" test $status = 0
faulty byte
check "one wrong byte: status" test $status = 1
check "one wrong byte: table" grep -Eq '^ +64  native .*WRONG RESULT$' <<<"$out"
check "one wrong byte: nothing else is wrong" test "$(grep -c 'WRONG RESULT' <<<"$out")" = 1
check "one wrong byte: message" grep -q "^topo-bench: allgather: wrong result of native at 64 bytes" <<<"$out"
check "one wrong byte: JSON" grep -q '"correct": false' "$folder/byte.json"
faulty error
check "an MPI error: status" test $status = 1
check "an MPI error: table" grep -Eq '^ +64  native +FAILED' <<<"$out"
check "an MPI error: the others are measured" test "$(grep -Ec ' ring +[0-9]' <<<"$out")" = 3
for fault in byte error; do
    out=$(mpi 4 -x LD_PRELOAD="$fault_library" -x FAULT=$fault "$bench" guidelines "${brief[@]}" -a native -g mockup -o allgather 2>&1)
    check "guidelines, $fault: status" test $? = 1
    check "guidelines, $fault: table" grep -Eq "$([ $fault = byte ] && echo 'allgather <= allgatherv +WRONG RESULT$' || echo 'allgather <= allgatherv +FAILED: MPI error$')" <<<"$out"
    check "guidelines, $fault: message" grep -Eq "^topo-bench: allgather <= allgatherv at 64 bytes, native: (wrong result|MPI error)$" <<<"$out"
done
faulty crash
check "a crash: status" test $status != 0
check "a crash: what was measured before is kept" "$bench" report --page "$folder/crash.md" "$folder/crash.json"
check "a crash: the page" grep -q '^| 8 |' "$folder/crash.md"

mpi 4 "$bench" levels -s 1,4K --time 0.02 --json "$folder/levels.json" --params "$folder/params" >"$folder/levels"
check "levels: both levels" test "$(grep -c ping-pong "$folder/levels")" = 2
check "levels: the link" grep -q "through the link of one node (2 pairs): in " "$folder/levels"
check "levels: parameters" grep -Eq "^level node alpha=[0-9.e-]+ beta=[0-9.e-]+" "$folder/params"
check "levels: JSON" grep -q '"ping_pong"' "$folder/levels.json"

# Guidelines: each natively, some of auto, whatever they say of this host; the library without its guard, which has tests of its
# own.
(
    export TOPOMPI_GUARD=off
    mpi 4 "$bench" guidelines "${brief[@]}" -a native --json "$folder/native.json" >"$folder/native" &&
        mpi 4 "$bench" guidelines "${brief[@]}" -a auto -o allreduce,barrier,bcast,scan --json "$folder/auto.json" >"$folder/auto"
)
check "guidelines: status, whatever is broken" test $? = 0
check "guidelines: the tables" python3 - "$folder" <<'END'
import json, sys

def read(name):
    """The report, held against the table's lines."""
    lines = [line for line in open('%s/%s' % (sys.argv[1], name)) if not line.startswith('#')][1:]
    report = json.load(open('%s/%s.json' % (sys.argv[1], name)))
    assert report['tool'] == 'topo-bench guidelines' and report['ranks'] == 4 and report['nodes'] == 2, report
    found = report['comparisons']
    assert len(lines) == len(found), (len(lines), len(found))
    for line, one in zip(lines, found):
        assert one['by'] == name and one['correct'] and not one['failed'] and one['samples'] == 10, one
        assert one['low'] <= one['ratio'] <= one['high'] and one['left_us'] > 0 and one['right_us'] > 0, one
        # JSON has six digits.
        low, high, allowed = one['low'], one['high'], one['allowed']
        assert {'broken': low >= allowed - 1e-5, 'kept': high <= allowed + 1e-5,
                'unclear': low <= allowed + 1e-5 and high >= allowed - 1e-5}[one['verdict']], one
        assert '%s <= %s' % (one['left'], one['right']) in line and one['verdict'] in line, (line, one)
        replaces = one['guideline'] in ('mockup', 'monotone', 'split', 'place')
        assert ('free algorithm' in line) == (one['verdict'] == 'broken' and name == 'native' and replaces), line
        assert allowed == (1.1 if one['guideline'] == 'root' else 1.05), one
    return found

native, auto = read('native'), read('auto')
common = {'mockup', 'monotone', 'split', 'communicator', 'root', 'place'}
assert {one['guideline'] for one in native} == common, native
assert {one['guideline'] for one in auto} == common | {'arrival'}, auto
assert {one['operation'] for one in auto} == {'allreduce', 'barrier', 'bcast', 'scan'}, auto
late = {(one['late'], one['calls_late'], one['operation']) for one in auto if one['guideline'] == 'arrival'}
assert len(late) == 4 * 13, late
assert all((one['late_us'] > 0) == (one['calls_late'] > 0) for one in auto), auto
END
check "guidelines: the summary" grep -Eq '^# auto: [0-9]+ kept, [0-9]+ broken, [0-9]+ unclear$' "$folder/auto"
check "guidelines: tables of two starts" bash -c "'$here/guidelines.py' '$folder/auto.json' '$folder/auto.json' >'$folder/tables' &&
    grep -q '^4 ranks on 2 nodes, by slot, .*, 2 starts; kept / broken / unclear:' '$folder/tables' && grep -Eq '^\| random \| 2 \| [0-9.]+ \| [0-9.]+ \| [0-9]+ \| 4 \|' '$folder/tables' &&
    grep -Eq '^\| mockup \| [0-9]+ / [0-9]+ / [0-9]+ \|' '$folder/tables'"
check "guidelines: tables of another report are refused" bash -c "! '$here/guidelines.py' '$folder/levels.json' 2>'$folder/tables' && grep -q 'levels.json: not written by' '$folder/tables'"
TOPOMPI_MACHINE="synthetic:node:3 core:1" mpi 3 "$bench" guidelines -g mockup,communicator,root -o bcast,allreduce,scan -a native -s 8,4000 --calls isolated \
    --time 0.001 --samples 10..10 --format json >"$folder/guidelines.json"
check "guidelines: JSON alone, of three ranks on uneven vectors" python3 -c "
import json
found = json.load(open('$folder/guidelines.json'))['comparisons']
assert len(found) == 2 * (2 + 1 + 1 + 2) and all(one['correct'] for one in found), found
assert {one['calls'] for one in found} == {'isolated'} and {one['bytes'] for one in found} == {8, 4000}, found"
# On one node nobody is late as a node.
TOPOMPI_GUARD=off TOPOMPI_MACHINE="synthetic:node:1 core:2" mpi 2 "$bench" guidelines "${brief[@]}" -g arrival -o bcast >"$folder/guidelines"
check "guidelines: one node" test "$(grep -c 'by auto' "$folder/guidelines"),$(grep -c 'node late' "$folder/guidelines")" = 10,0
check "guidelines of one rank" single 2 "start it with mpirun" guidelines
check "guidelines that are none" refused "guidelines speed: allowed: mockup monotone" guidelines -g speed
check "guidelines of nobody" refused "nothing to compare: arrival is of auto" guidelines -g arrival -a native
unwritable() {
    local out status
    out=$(apart mpi 4 "$bench" guidelines --json "$folder/none/x")
    status=$?
    [ $status -eq 1 ] && grep -q "^topo-bench: $folder/none/x: No such file" <<<"$out" && ! grep -q "verdict" <<<"$out" || { echo "exit status $status: $out"; false; }
}
check "guidelines into a folder that is not there" unwritable
check "guidelines by few samples" refused "from 10, with fewer nothing is certain" guidelines --samples 5..9

# A tuning file: whatever won, the library takes what the rules say, at every size measured.
mpi 4 "$bench" tune --tuning "$folder/tuning.conf" -s 64,4K "${quick[@]}" >"$folder/tuned"
check "tune: every operation" test "$(grep -Ec '^(allgather|allreduce|alltoallv|barrier|bcast|reduce|allgatherv|alltoall|reduce_scatter(_block)?) ranks=4 nodes=2 per_node=2 placement=slot bytes=0-' \
    "$folder/tuning.conf")" = 10
check "tune: parameters" grep -Eq "^level node alpha=[0-9.e-]+ beta=[0-9.e-]+" "$folder/tuning.conf"
follows() {
    local operation bytes rule took
    for operation in allgather allreduce alltoallv bcast reduce allgatherv alltoall reduce_scatter reduce_scatter_block; do
        TOPOMPI_GUARD=off TOPOMPI_TUNING=$folder/tuning.conf mpi 4 "$bench" $operation -s 64,4K -a native,auto "${quick[@]}" >"$folder/follows" || return
        for bytes in 64 4K; do
            # The last rule goes to 4K, the first from 0: one rule or two.
            if [ $bytes = 64 ]; then rule=$(grep "^$operation " "$folder/tuning.conf" | head -n 1)
            else rule=$(grep "^$operation " "$folder/tuning.conf" | tail -n 1); fi
            took=$(grep -o 'auto ([a-z_]*)' "$folder/follows" | sed -n "$([ $bytes = 64 ] && echo 1 || echo 2)p")
            [ "$took" = "auto (${rule##* })" ] || { echo "$operation, $bytes: '$rule', but $took"; return 1; }
        done
    done
}
check "tune: auto follows" follows
# Blocks of irregular lengths: the rule is that for what they are on average, a byte longer than was asked for.
printf '%s\n' "alltoallv bytes=0-8 direct" "alltoallv bytes=9-4M node_aware" "allgatherv bytes=0-8 leader" \
    "allgatherv bytes=9-4M radix" >"$folder/border.conf"
for taken in "alltoallv node_aware" "allgatherv radix"; do
    TOPOMPI_GUARD=off TOPOMPI_TUNING=$folder/border.conf mpi 4 "$bench" "${taken% *}" -s 8 -a native,auto "${quick[@]}" >"$folder/border"
    check "irregular blocks: auto is what ran: $taken" grep -q "auto (${taken#* })" "$folder/border"
done
# The blocks of four ranks of an all-gather of 8 bytes are 11 bytes on average, of one of 4K 4999; rules are of that size.
printf '%s\n' "allgatherv bytes=0-11 leader" "allgatherv bytes=12-4M radix" >"$folder/border.conf"
TOPOMPI_GUARD=off TOPOMPI_TUNING=$folder/border.conf mpi 4 "$bench" allgatherv -s 8 -a native,auto "${quick[@]}" >"$folder/border"
check "irregular blocks: auto is what ran: allgatherv of 11 bytes" grep -q "auto (leader)" "$folder/border"
check "tune: a rule of irregular blocks" grep -q '^allgatherv .* bytes=[0-9]*-4999 ' "$folder/tuning.conf"
# A rule that no measurement on this host would give: auto follows the file, not its own mind.
sed -i '/^allgather/d' "$folder/tuning.conf"
echo "allgather ranks=4 nodes=2 bytes=0-4K bruck_exch" >>"$folder/tuning.conf"
TOPOMPI_GUARD=off TOPOMPI_TUNING=$folder/tuning.conf mpi 4 "$bench" allgather -s 64 -a native,auto "${quick[@]}" >"$folder/follows"
check "tune: auto follows an edited file" grep -q "auto (bruck_exch)" "$folder/follows"
# A run that is ended leaves the old file as it was, and beside it what it had measured.
cp "$folder/tuning.conf" "$folder/before.conf"
mpi 4 "$bench" tune --tuning "$folder/tuning.conf" -s 64 --time 2 >/dev/null 2>&1 &
for ((i = 0; i < 600; i++)); do
    grep -qs '^level node' "$folder/tuning.conf.part" && break
    sleep 0.1
done
kill $!
wait
check "tune, ended: the old file stays" cmp "$folder/before.conf" "$folder/tuning.conf"
check "tune, ended: what was measured" grep -q '^level node' "$folder/tuning.conf.part"
check "tune without a file" refused "belong together" tune
check "tune in parts" refused "one communicator of all ranks" tune --tuning "$folder/parts.conf" --split 2
check "tune of gaps" refused "one communicator of all ranks" tune --tuning "$folder/parts.conf" --data gaps
check "tune into a folder that is not there" bash -c "! OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    mpirun --oversubscribe -np 2 '$bench' tune --tuning '$folder/none/x' >'$folder/tuned' 2>&1 && ! grep -q median '$folder/tuned'"
finish
