#!/bin/bash
# topo-predict on the trace of an MPI program: every option, against times worked out by hand.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
tool=${TOP_BUILDDIR:-$PWD}/tools/topo-predict/topo-predict
built "$tool"
command -v python3 >/dev/null || { skip "topo-predict" "no python3"; finish; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/trace"
python3 "$here/write_trace.py" "$folder/trace" || { fail "a trace" "write_trace.py"; finish; }

# A message between nodes takes 80 us, one inside a node 10 us; nothing else takes time.
cat >"$folder/params" <<'PARAMS'
level node alpha=80e-6 beta=0
level core alpha=10e-6 beta=0
level memory alpha=10e-6 beta=0
overhead 0
gamma 0
copy 0
allgather ring
PARAMS
{ echo "machine node:2 core:2"; echo "speed 4"; cat "$folder/params"; } >"$folder/machine"

# holds NAME CONDITION OPTION...: the condition in Python on the predictions: p[i]["machine"]; ms(i) of the whole program,
# inside(i) of the interval, of(i, figure) of the last rank, in milliseconds.
holds() {
    local name=$1 condition=$2
    shift 2
    check "$name" python3 - "$tool" "$condition" "$folder/trace" "$@" <<'PY'
import json, subprocess, sys
tool, condition, *arguments = sys.argv[1:]
p = json.loads(subprocess.check_output([tool] + arguments + ["-f", "json"]))["predictions"]
ms = lambda i: round(p[i]["program"]["Execution_time"] * 1e3, 9)
inside = lambda i: round(p[i]["program"]["intervals"][0]["Execution_time"] * 1e3, 9)
of = lambda i, figure: round(p[i]["program"]["per_processor"][-1][figure] * 1e3, 9)
assert eval(condition), (condition, [(one["machine"], ms(i), inside(i)) for i, one in enumerate(p)])
PY
}
refused() {
    local status=$1 words=$2 out got
    shift 2
    out=$("$tool" "$folder/trace" "$@" 2>&1)
    got=$?
    [ $got -eq "$status" ] && [[ $out == *"$words"* ]] || { echo "exit status $got: $out" | head -n 20; false; }
}
# Each stage overwrites the line of the one before, and the last line goes.
progress_shown() {
    local out lines
    out=$("$tool" "$folder/trace" -P "$folder/params" --progress -m "node:2 core:2" -m "node:1 core:4" 2>&1 >"$folder/shown")
    lines=$(tr '\r' '\n' <<<"$out" | sed 's/ *\x1b\[K$//' | paste -sd '|')
    [[ $lines == "|topo-predict: reading, 0 %|"*"|topo-predict: prediction 1 of 2, 0 %|"* &&
        $out == *$'\r\e[K' ]] || { echo "$lines"; false; }
    "$tool" "$folder/trace" -P "$folder/params" -m "node:2 core:2" -m "node:1 core:4" 2>&1 | cmp - "$folder/shown"
}
check "progress" progress_shown
on=(-P "$folder/params")
two=(-m "node:2 core:2")
# Allgather 10 + 80; allreduce 10 + 80; alltoallv 80; barrier 10 + 80; broadcast from rank 1 to 3, then to 2 and 0: 2 x 80.
holds "machine, parameters" 'inside(0) == 4 + .09 + .09 + .08 + .09 + .16 and ms(0) == inside(0) + 2 + 1' "${on[@]}" "${two[@]}"
# Ranks come 0 to 3 ms before the last one, to the first call alone; 90 us in it of each of the four.
first_row='(p[0]["calls"][0]["operation"] == "allgather" and p[0]["calls"][0]["up_to"] == "1 KiB" and p[0]["calls"][0]["calls"] == 1 and
    round(p[0]["calls"][0]["synchronization"] * 1e3, 9) == 6 and len(p[0]["calls"]) == 5 and
    {row["operation"]: row["up_to"] for row in p[0]["calls"]}["alltoallv"] == "vary")'
holds "calls by operation and length" "$first_row"' and round(p[0]["calls"][0]["communication"] * 1e3, 9) == .36' "${on[@]}" "${two[@]}"
holds "those of the traced run" "$first_row"' and round(p[0]["calls"][0]["communication"] * 1e3, 9) == .4' -T
check "calls in the text" grep -qE '^allgather +1 KiB +1 +0.000360 +0.006000 +[0-9.]+$' \
    <("$tool" "$folder/trace" "${on[@]}" "${two[@]}")
holds "long options" 'ms(0) == ms(1) == 7.51 and p[1]["machine"] == "node:2 core:2, bcast native"' \
    --params "$folder/params" --machine "node:2 core:2" --bcast native --machine "node:2 core:2"
holds "all ranks on one node" 'inside(0) == 4 + 4 * .02 + .01' "${on[@]}" -m "node:1 core:4"
holds "by node" 'inside(0) == 4 + .09 * 4 + .08' "${on[@]}" -m "node:2 core:2 by:node"
holds "speed: of computation alone" 'inside(0) == 2 + .51 and ms(0) == inside(0) + 2 + .5' "${on[@]}" -s 2 "${two[@]}"
holds "machine file: its machine, speed and parameters" 'inside(0) == 1 + .51 and p[0]["machine"].endswith("machine")' -M "$folder/machine"
holds "long names of it" 'inside(0) == 1 + .51 and inside(1) == 2 + .51' --machine-file "$folder/machine" --speed 2 "${two[@]}"
holds "allgather: a block passes two links of a ring, and one in a node" 'inside(0) == 4.51 + .17 - .09' "${on[@]}" -a ring "${two[@]}"
holds "allgather as traced" 'inside(0) == 4.51 + .17 - .09' "${on[@]}" -a traced "${two[@]}"
holds "allgather as the rules of the file say" 'inside(0) == 4.51 + .17 - .09' "${on[@]}" --allgather auto "${two[@]}"
for operation in allgather:a allreduce:A alltoallv:V barrier:B bcast:b reduce:r allgatherv:g alltoall:l reduce_scatter:R \
    reduce_scatter_block:K; do
    letter=${operation#*:} operation=${operation%:*}
    names=$("${tool%predict/topo-predict}dump/topo-dump" algorithms | awk -v operation="$operation" '
        /^[a-z]/ { inside = $1 == operation } inside && /^  [a-z]/ { print $1 }')
    holds "-$letter: $operation native by name" 'len(p) == 1 and ms(0) == 7.51' "${on[@]}" "-$letter" native "${two[@]}"
    holds "--$operation all: native and others, each under its name" \
        "len(p) > 1 and all('$operation ' + p[i]['machine'].split('$operation ')[1] in ['$operation ' + name for name in '''$names'''.split()] for i in range(len(p))) and len({one['machine'] for one in p}) == len(p)" \
        "${on[@]}" "--$operation" all "${two[@]}"
    holds "--$operation auto, traced and HAN" 'len(p) == 3 and p[0]["machine"] != p[1]["machine"] and min(ms(0), ms(1), ms(2)) > 7' \
        "${on[@]}" "-$letter" auto "${two[@]}" "-$letter" traced "${two[@]}" "-$letter" native:han "${two[@]}"
    check "--$operation: what is none" refused 2 "--$operation fastest" "-$letter" fastest
    holds "--algorithm $operation=NAME is the same" 'len(p) == 3 and p[0] == p[2] and p[0]["machine"] != p[1]["machine"]' \
        "${on[@]}" --algorithm "$operation=native:han" "${two[@]}" "-$letter" auto "${two[@]}" "-$letter" native:han "${two[@]}"
done
holds "barrier in shared memory is another" 'ms(0) != ms(1)' "${on[@]}" "${two[@]}" -B leader "${two[@]}"
holds "broadcast in shared memory is another" 'ms(0) != ms(1)' "${on[@]}" "${two[@]}" -b leader "${two[@]}"
holds "choices hold for what follows" 'p[1]["machine"] == "node:2 core:2, barrier leader, bcast leader"' \
    "${on[@]}" -B leader "${two[@]}" -b leader "${two[@]}"
# Eight ranks, rank i like the traced i / 2: three steps inside and between the nodes.
holds "scaling: strong, weak, fixed" 'of(0, "CPU_time") == 2.5 and of(1, "CPU_time") == 5 == of(2, "CPU_time")' \
    "${on[@]}" -m "node:2 core:4" -c weak -m "node:2 core:4" --scaling fixed -m "node:2 core:4"
holds "scaling of an interval" 'inside(0) == inside(1) and ms(0) == ms(1) - .5' \
    "${on[@]}" -c mixed=fixed -m "node:2 core:4" -c fixed -m "node:2 core:4"
check "scaling of an interval that is not there" refused 0 "--scaling mixd=...: the trace has no interval of this name" \
    "${on[@]}" -c mixd=fixed -m "node:2 core:4" -m "node:4 core:2"
check "scaling of an interval without a name" refused 2 "--scaling =weak" -c =weak
holds "depth" '"intervals" not in p[0]["program"] or not p[0]["program"]["intervals"]' "${on[@]}" "${two[@]}" -d 0
check "output" bash -c "'$tool' '$folder/trace' ${on[*]} -m 'node:2 core:2' -f html --output '$folder/page.html' && grep -q '<h2 id=.p0' '$folder/page.html'"
# The words are those of MPI; figures that no run of it has are left out; a deep interval leaves the figures their room.
check "the page speaks of ranks and calls" bash -c "grep -q '<th>ranks</th>' '$folder/page.html' && grep -q 'waiting for a core' '$folder/page.html' &&
    grep -q 'reductions and barriers [0-9]' '$folder/page.html' && grep -q 'Times of every rank' '$folder/page.html' &&
    ! grep -qiE 'insufficient|shadow|Characteristics|processors' '$folder/page.html'"
check "no indent is wider than the first column" bash -c "grep -q 'td.in{padding-left:calc(7px + min(var(--in)\*6px,9vw))}' '$folder/page.html' &&
    '$tool' '$folder/trace' ${on[*]} -m 'node:2 core:2' -m 'node:1 core:4' -f html | grep -q '<td class=.in. style=.--in:1'"
check "text" refused 0 "mixed" "${on[@]}" "${two[@]}" --format text
# Rank 0 waits 3 ms for rank 3 in the first call; the clock of the second node is an hour ahead.
holds "the traced run: all times as they were" 'ms(0) == .25 + 4 + .5 + 2 + 1 and inside(0) == .25 + 4 + .5 and ms(1) == 7.51' \
    "${on[@]}" -T "${two[@]}"
holds "what rank 0 waited, by clocks that were set right" 'p[0]["program"]["per_processor"][0]["Remote_synch"] == 3e-3 and of(0, "Remote_synch") == 0' --traced
holds "and what it then took" 'of(0, "Remote_access") == .2 and of(0, "Insuff_parallelism_USR") == .25 and of(0, "Wait_shadow") == 2' -T
check "no machine" refused 1 "needs --machine, --machine-file or --traced"
check "a file without a machine" refused 1 "it has no machine line" -M "$folder/params"
check "shapes of Lib-DVM for a folder" refused 2 "unknown option -m; see topo-predict-dvm" "${two[@]}" -t 4
check "no such rule" refused 2 "strong|weak|fixed" -c linear
check "a file that is none" refused 1 "allowed" -P "$folder/trace/rank-000000.topotrace"
check "an option that is none" refused 2 "--fast" --fast
check "a value that is missing" refused 2 "-b" -b
for word in alltoallw=native allgather allgather= =ring all=ring; do
    check "--algorithm $word" refused 2 "--a" --algorithm "$word"
done
check "operations that have algorithms" refused 2 "one of allgather allreduce" --algorithm alltoallw=native
rm "$folder/trace/rank-000002.topotrace"
check "nor the traced run" refused 1 "1 of 4 ranks are missing: the traced run" -T
check "a rank that is missing" refused 1 "1 of 4 ranks are missing, the first is 2" "${on[@]}" "${two[@]}"
finish
