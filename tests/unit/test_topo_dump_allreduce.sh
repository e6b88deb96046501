# topo-dump mapping --operation allreduce: grids, stripes, neighbours, blocks, bytes per level, bad arguments.
. "$TOP_SRCDIR/tests/unit/dump.sh"
reduce=(--operation allreduce)

"$dump" "${reduce[@]}" --synthetic "node:2 core:3" --grid 3x2 --bytes 64 |
    golden "text of a 3x2 grid, last blocks short" "$data/grid.txt"
"$dump" "${reduce[@]}" --synthetic "node:3 core:3,2,1 by:node" --bytes 64K |
    golden "text of stripes on uneven nodes" "$data/stripes.txt"

# Every rank and its neighbours form rings; the blocks after the last dimension are the vector, each element once;
# what enters nodes has left nodes and is what crosses the levels outside them.
consistent='[j["ranks"][r["next"][d]]["previous"][d] for r in j["ranks"] for d in range(len(j["dimensions"]))]
== [r["rank"] for r in j["ranks"] for d in j["dimensions"]]
and sorted(e for r in j["ranks"] for b in [r["blocks"][-1]] for e in range(b[0], b[0] + b[1])) == list(range(j["elements"]))
and sum(j["node_bytes_out"]) == sum(j["node_bytes_in"]) == sum(b for b, c in zip(j["bytes_per_level"], j["crossing"])
if c.startswith("between nodes") or c.startswith("between switches"))
and sum(j["bytes_per_level"]) == 2 * j["bytes"] * (j["n"] - 1)'
consistent=$(printf '%s' "$consistent" | tr '\n' ' ')
for grid in 16 4x4 2x8 8x2 2x2x2x2 auto; do
    for bytes in 8 120 1040 64K; do
        holds "cyclic on $grid, $bytes bytes" "$consistent" "${reduce[@]}" --synthetic "node:4 core:4" --grid $grid \
            --bytes $bytes
        holds "cyclic on $grid, $bytes bytes, by node" "$consistent" "${reduce[@]}" --synthetic "node:4 core:4" \
            --placement node --grid $grid --bytes $bytes
    done
done
holds "the first dimensions stay inside the nodes, the links carry the least" \
    'j["node_bytes_out"] == [j["node_bytes_bound"]] * 4 == j["node_bytes_in"]' \
    "${reduce[@]}" --synthetic "node:4 core:4" --placement node --grid 4x4 --bytes 1M
holds "one ring over all ranks" 'j["bytes_per_level"] == [4 * 30 * 8192, 12 * 30 * 8192, 0] and len(j["dimensions"]) == 1' \
    "${reduce[@]}" --synthetic "node:4 core:4" --grid 16 --bytes 128K
holds "recursive halving carries as little" 'j["node_bytes_out"] == [j["node_bytes_bound"]] * 4' \
    "${reduce[@]}" --algorithm recursive_halving --synthetic "node:4 core:4" --placement node
holds "recursive doubling sends all of the vector in every step" \
    'j["bytes_per_level"] == [16 * 2 * j["bytes"], 16 * 2 * j["bytes"], 0] and j["grid"] == "2ex2ex2ex2e"' \
    "${reduce[@]}" --algorithm recursive_doubling --synthetic "node:4 core:4"
holds "13 ranks are folded to 8" '[r["place"] for r in j["ranks"]].count(-1) == 5' \
    "${reduce[@]}" --algorithm recursive_doubling --synthetic "node:13 core:1"
holds "renumbered by the mapping" 'j["node_bytes_out"] == [4 * j["bytes"]] * 2' \
    "${reduce[@]}" --algorithm recursive_doubling_renumbered --synthetic "node:2 core:4" --placement node
holds "uneven nodes: as many stripes as the largest has ranks" \
    'len(j["stripes"]) == 7 and all(len(s["owners"]) == 4 for s in j["stripes"]) and max(j["node_bytes_out"]) < 1.001 * j["node_bytes_bound"]' \
    "${reduce[@]}" --synthetic "node:4 core:7,5,3,1"
holds "short vectors: dimensions of other kinds" 'any(d["kind"] != "ring" for d in j["dimensions"])' \
    "${reduce[@]}" --algorithm mixed_grid --synthetic "node:4 core:4" --bytes 64
printf 'level node alpha=1 beta=0\n' >"$made/slow.txt"
holds "the tuning file's start-up decides: fewest steps between nodes" 'j["grid"].endswith("2x2") and abs(j["model_seconds"] - 4) < 0.001' \
    "${reduce[@]}" --synthetic "node:4 core:4" --tuning "$made/slow.txt"

pictured() { # CIRCUMSTANCES...: the picture is XML with a square a rank at least
    "$dump" "${reduce[@]}" "$@" --format svg | python3 -c '
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.stdin).getroot()
assert sum(1 for e in root.iter() if e.tag.endswith("rect")) > 32'
}
check "picture of a grid" pictured --synthetic "node:4 core:4" --grid 4x4
check "picture of stripes" pictured --synthetic "node:4 core:7,5,3,1"
check "picture of many ranks" pictured --synthetic "node:64 core:16"
check "help" sh -c "'$dump' --help | grep -q -e '--grid'"

refused 2 "has 15 places" "${reduce[@]}" --synthetic "node:4 core:4" --grid 3x5
refused 2 "not a grid" "${reduce[@]}" --grid 4x
refused 2 "cyclic" "${reduce[@]}" --algorithm recursive_doubling --grid 2x2
refused 2 "multiples of 8" "${reduce[@]}" --bytes 12
refused 2 "text json svg" "${reduce[@]}" --format dot
refused 2 "allreduce" --bytes 64
refused 2 "mixed_grid" "${reduce[@]}" --algorithm native
refused 2 "power of two" "${reduce[@]}" --algorithm recursive_doubling_renumbered --synthetic "node:3 core:1"
refused 2 "nowhere" "${reduce[@]}" --tuning "$made/nowhere"
printf 'level planet alpha=1\n' >"$made/wrong.txt"
refused 2 "wrong.txt:1" "${reduce[@]}" --tuning "$made/wrong.txt"
finish
