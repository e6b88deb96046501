# topo-dump mapping: golden output, the formats, the sources of the tree, bad arguments.
. "$TOP_SRCDIR/tests/unit/dump.sh"

"$dump" --synthetic "switch:2 node:2 core:2" | sed '/^built in/d' | golden "text of two switches" "$data/switches.txt"
"$dump" mapping --synthetic "node:2 core:4" --algorithm bruck --format json | sed '/build_seconds/d' |
    golden "JSON of 8 ranks on 2 nodes" "$data/golden8.json"

consistent='all(j["pi_inverse"][p] == i for i, p in enumerate(j["pi"]))
and all(j["pi_inverse"][v] in j["groups"][p] for v, p in enumerate(j["partition"]))
and sorted(sum(j["groups"], [])) == list(range(j["n"])) == sorted(j["pi"])
and sum(j["bytes_per_level_before"]) == sum(j["bytes_per_level_after"]) == j["n"] * (j["n"] - 1)
and j["edge_cut_after"] <= j["edge_cut_before"] and j["build_seconds"] > 0'
consistent=$(printf '%s' "$consistent" | tr '\n' ' ')
for machine in "node:2 core:4" "node:8 core:8" "node:4 core:7,5,3,1" "node:12 core:8" "node:10 core:10" "node:1 core:1" \
    "switch:2 node:3 package:2 core:2"; do
    holds "consistent: $machine" "$consistent" --synthetic "$machine"
    holds "consistent: $machine by node" "$consistent" --synthetic "$machine" --placement node
done
holds "recursive doubling, both nodes even and odd" \
    'j["partition"] == [0, 1] * 4 and j["edge_cut_after"] == 8 and list(j)[:10] == ["n", "groups", "pi", "pi_inverse", "partition", "edge_cut_before", "edge_cut_after", "bytes_per_level_before", "bytes_per_level_after", "build_seconds"]' \
    --synthetic "node:2 core:4" --algorithm recursive_doubling_reorder
holds "64 ranks on 8 nodes: 3,752 to 448" 'j["edge_cut_before"] == 3752 and j["edge_cut_after"] == 448' \
    --synthetic "node:8 core:8" --algorithm bruck_exch --operation allgather
for name in ring ring_by_rank; do
    holds "$name by node: 12 blocks a step cross, in tree order 3" 'j["edge_cut_before"] == 132 and j["edge_cut_after"] == 33 and j["pi_inverse"][:4] == [0, 3, 6, 9] and j["graph"] == "ring" and j["optimal"]' \
        --synthetic "node:3 core:4 by:node" --algorithm $name
done
# 12.5 MB/s between nodes, 1 GB/s inside: T(x) = 42 / 12.5e6 + 14 / 1e9, then 8 and 48.
printf 'level node alpha=1e-5 beta=8e-8\nlevel core alpha=1e-6 beta=1e-9\n' >"$made/tuning"
holds "T(x) with a tuning file's bandwidths" 'abs(j["transfer_seconds_before"] - (42 * 8e-8 + 14e-9)) < 1e-12 and abs(j["transfer_seconds_after"] - (8 * 8e-8 + 48e-9)) < 1e-12' \
    --synthetic "node:2 core:4" --tuning "$made/tuning"
holds "closed forms as they are" 'j["edge_cut_after"] > 2592' --synthetic "node:12 core:8" --partitioner closed_form
holds "METIS, asked for" "j[\"method\"] == \"METIS's partition\" and j[\"edge_cut_after\"] >= 2592" \
    --synthetic "node:12 core:8" --partitioner metis
holds "refined" 'j["edge_cut_after"] <= 2592' --synthetic "node:12 core:8"
holds "a machine file, one rank a host" \
    'j["n"] == 6 and len(j["groups"]) == 6 and j["levels"][0] == {"kind": "switch", "units": 2}' \
    --machine "$data/topology.conf"
holds "a machine file, 24 ranks by node" 'j["groups"][5] == [5, 11, 17, 23]' \
    --machine "$data/topology.conf" --ranks 24 --placement node
holds "a machine file, 24 ranks by slot" 'j["groups"][5] == [20, 21, 22, 23]' --machine "$data/topology.conf" --ranks 24
holds "this machine is one node" 'j["n"] >= 1 and len(j["groups"]) == 1'
# Graphs that are no algorithm's. Two pairs of ranks that talk, on two nodes of two: each pair comes to one node.
printf 'sender,receiver,bytes\n0,2,5\n2,0,6\n1,3,7\n1,1,9\n' >"$made/pairs.csv"
holds "a given graph" 'j["edge_cut_before"] == 18 and j["edge_cut_after"] == 0 and len({j["partition"][0], j["partition"][2]}) == 1 and
    j["bytes_per_level_after"][-1] + j["bytes_per_level_after"][-2] == 18 and not j["optimal"]' --synthetic "node:2 core:2" --matrix "$made/pairs.csv"
for partitioner in auto metis; do
    holds "a random graph, $partitioner" 'j["graph"] == "random" and 0 < j["edge_cut_after"] < j["edge_cut_before"] and
        sorted(j["pi"]) == list(range(64)) and sum(j["bytes_per_level_before"]) == sum(j["bytes_per_level_after"]) < 1 << 20' \
        --synthetic "node:8 core:8" --random "N=64,E=4N,total=1M,seed=5" --partitioner $partitioner
done
for format in text dot; do
    check "a random graph, $format" sh -c "'$dump' --synthetic 'node:4 core:4' --random N=16,E=40,total=1K --format $format | grep -qi graph"
done
# What grows with the ranks is left out, the figures stay: some 20 lines for any machine.
"$dump" --synthetic "switch:4 node:16 core:64" --summary >"$made/summary"
check "summary" sh -c "grep -q '^machine .*4096 ranks, 4 x switch' '$made/summary' && grep -q 'edge cut' '$made/summary' &&
    ! grep -q '^pi' '$made/summary' && [ \$(wc -l <'$made/summary') -lt 20 ]"
"$dump" --synthetic "switch:4 node:16 core:64" --operation allreduce --summary >"$made/summary"
check "summary of an all-reduce" sh -c "grep -q '^grid ' '$made/summary' && grep -q 'busiest link' '$made/summary' &&
    [ \$(wc -l <'$made/summary') -lt 30 ]"
check "svg is XML" sh -c "'$dump' --synthetic 'node:4 core:7,5,3,1' --format svg | python3 -c '
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.stdin).getroot()
assert root.tag.endswith(\"svg\") and sum(1 for e in root.iter() if e.tag.endswith(\"circle\")) == 32'"
check "svg of a large machine" sh -c "'$dump' --synthetic 'node:300 core:4' --format svg | python3 -c '
import sys, xml.etree.ElementTree as tree
tree.parse(sys.stdin)'"
# pictured NAME CONDITION ARGUMENT...: no text leaves the picture, and Python of picture.py holds for it.
pictured() {
    local name=$1 condition=$2
    shift 2
    "$dump" "$@" --format svg -o "$made/picture.svg" 2>"$made/err"
    check "picture: $name" python3 "$TOP_SRCDIR/tests/unit/picture.py" "$made/picture.svg" "$condition"
}
in_cells='all(inside(*t, box) for t in texts for box in rects if 24 <= box[2] == box[3] < 100)'
pictured "2^20 ranks" 'words[0].startswith("allgather, bruck: 1048576 ranks") and words[1].startswith("Renumbering") and words.count("61440") == 6' \
    --synthetic "switch:16 node:4096 core:16" --partitioner closed_form
pictured "levels of long names" '"between numas of one package" in words' --synthetic "node:2 package:2 numa:2 l3:2 core:2"
pictured "ranks beside matrices" 'all(words.count("%d" % i) >= 4 for i in range(16))' --synthetic "node:4 core:4 by:node"
pictured "numbers in their cells" "$in_cells and '1.07G' in words" --synthetic "node:4 core:4" --operation allreduce --bytes 1G
pictured "ranks beside an all-reduce's matrix" 'words.count("15") == 3' --synthetic "node:4 core:4" --operation allreduce
pictured "a narrow grid is not high" 'height < 1400 and words.count("39") == 1 and words.count("38") == 3' \
    --synthetic "node:2 core:20" --operation allreduce --grid 2x20
pictured "a grid of many dimensions is not high" 'height < 1300' --synthetic "node:8 core:16" --operation allreduce --grid 2x2x2x2x2x2x2
pictured "few nodes of many stripes are not high" 'height < 1330 and words[1].startswith("23 stripes")' \
    --synthetic "node:2 core:23,22" --operation allreduce
pictured "a schedule" 'words[1].startswith("direct (") and any(w.startswith("css (") for w in words)' \
    schedule --redistribute "cyclic(3)@7 -> cyclic(4)@13"
pictured "a schedule of many senders" 'any("conflicts" in w for w in words)' schedule --random N=128,E=4N,total=2G --scheduler ggp_merged
check "dot has 8 vertices and red edges" sh -c "'$dump' --synthetic 'node:2 core:4' --format dot >'$made/dot' &&
    [ \$(grep -c 'label=\"[0-7]..rank' '$made/dot') -eq 8 ] && [ \$(grep -c d00000 '$made/dot') -eq 8 ]"
# drawn MACHINE ALGORITHM VERTICES: plain dot says nothing and draws every vertex.
drawn() {
    "$dump" --synthetic "$1" --algorithm "$2" --format dot -o "$made/dot" && dot -Tsvg "$made/dot" -o "$made/dot.svg" 2>"$made/err" &&
        [ ! -s "$made/err" ] && [ "$(grep -c 'class="node"' "$made/dot.svg")" -eq "$3" ]
}
if command -v dot >/dev/null; then
    check "dot draws uneven nodes" drawn "node:4 core:7,5,3,1" bruck 16
    check "dot draws a ring below switches" drawn "switch:2 node:2 core:3 by:node" ring 12
    check "dot draws one rank" drawn "node:1 core:1" bruck 1
else
    skip "dot draws graphs" "no dot (Debian: graphviz)"
fi
check "-o writes the file" sh -c "'$dump' --synthetic 'node:2 core:4' -o '$made/file' && [ -s '$made/file' ]"
check "help" sh -c "'$dump' --help | grep -q synthetic"

refused 2 "'nodes:2'" --synthetic "nodes:2 core:4"
refused 2 "synthetic" --synthetic ""
refused 2 "slots" --synthetic "node:2 core:4" --ranks 9
refused 2 "0" --synthetic "node:2 core:4" --ranks 0
refused 2 "slot node" --synthetic "node:2 core:4" --placement rank
refused 2 "text json dot svg" --format png
refused 2 "bruck_reorder" --algorithm fastest
refused 2 "renumbers nothing" --algorithm lanes
refused 2 "closed_form" --partitioner scotch
refused 2 "--grid gives a grid, too" --operation allreduce --algorithm cyclic:4x4 --grid 4x4
refused 2 "4x4" --operation allreduce --algorithm cyclic:4y4
refused 2 "unknown" --algorithm bruck:4x4
refused 2 "renumbers nothing" --operation allreduce --algorithm cyclic --partitioner metis
refused 2 "power of two" --synthetic "node:3 core:4" --algorithm recursive_doubling
refused 2 "allgather" --operation gather
refused 2 "exclude" --synthetic "node:2" --machine "$data/topology.conf"
refused 2 "--placement" --placement node
refused 2 "cores" --ranks 100000
refused 2 "nowhere" --machine "$made/nowhere"
refused 2 "here" mapping here
refused 2 "--colour" --colour
refused 2 "value" --synthetic
refused 1 "/nowhere/file" --synthetic "node:2" -o /nowhere/file
printf 'SwitchName=s0 Nodes=n[0-\n' >"$made/broken.conf"
refused 2 "broken.conf:1" --machine "$made/broken.conf"

if mpi 2 true >/dev/null 2>&1; then
    TOPOMPI_MACHINE="synthetic:node:2 core:3 by:node" mpi 6 "$dump" --format json >"$made/json" 2>"$made/err"
    check "a job of 6 prints once, its own tree" python3 -c "
import json
j = json.load(open('$made/json'))
assert j['n'] == 6 and j['groups'] == [[0, 2, 4], [1, 3, 5]], j"
    TOPOMPI_MACHINE="synthetic:node:2 core:4" mpi 6 "$dump" >"$made/out" 2>"$made/err"
    check "a job with a wrong machine ends with one line" sh -c \
        "[ ! -s '$made/out' ] && [ \$(grep -c '^topo-dump: TOPOMPI_MACHINE' '$made/err') -eq 1 ]"
    mpi 3 "$dump" --synthetic "node:2 core:4" --format json >"$made/json" 2>"$made/err"
    check "offline inside a job prints once" python3 -c "import json; assert json.load(open('$made/json'))['n'] == 8"
else
    skip "jobs" "mpirun does not run here"
fi
finish
