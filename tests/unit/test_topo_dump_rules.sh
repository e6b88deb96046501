# topo-dump rules: what auto takes on described machines, without a job.
. "$TOP_SRCDIR/tests/lib.sh"
dump=$TOP_BUILDDIR/tools/topo-dump/topo-dump
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# asked NAME PYTHON OPTION...: the JSON answer is d; the expression holds.
asked() {
    local name=$1 expression=$2
    shift 2
    if ! "$dump" rules --format json -o "$work/json" "$@" 2>"$work/errors"; then
        fail "$name" "$(cat "$work/errors")"
        return
    fi
    check "$name" python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
o = d["operations"]
at = {name: {row["bytes"]: row for row in rows} for name, rows in o.items()}
assert eval("(" + sys.argv[2] + ")"), json.dumps(d)[:2000]' "$work/json" "$expression"
}
refused() { # NEEDLE OPTION...
    local needle=$1 error
    shift
    error=$("$dump" rules "$@" 2>&1 >/dev/null)
    if [ $? -eq 2 ] && [ "$(wc -l <<<"$error")" -eq 1 ] && grep -qF -- "$needle" <<<"$error"; then
        pass "refused: $*"
    else
        fail "refused: $*" "$error"
    fi
}

asked "all operations" 'len(o) >= 10 and not d["measured"] and d["ranks"] == 16 and d["nodes"] == 4' --synthetic "node:4 core:4"
asked "the shipped rules" 'at["allgather"][8]["algorithm"] == "radix" and at["allgather"][32768]["algorithm"] == "lanes"' \
    --synthetic "node:4 core:4"
asked "their lines" 'all(row["by"] == "shipped" and row["line"] > 0 for rows in o.values() for row in rows)' \
    --synthetic "node:4 core:4"
asked "placement" 'at["reduce"][8]["algorithm"] == "native"' --synthetic "node:2 core:8 by:node"
asked "the model has times" 'all(0 < r["best_seconds"] <= r["native"] for r in o["allreduce"])' --synthetic "node:4 core:4" \
    --operation allreduce
printf 'allreduce bytes=8 link=100G- cyclic\nallreduce nodes=64 bytes=64 recursive_doubling\n' >"$work/tuning"
asked "a tuning file" 'at["allreduce"][64]["by"] == "tuning" and at["allreduce"][64]["line"] == 2 and
    at["allreduce"][8]["by"] == "shipped"' --synthetic "node:64 core:4" --tuning "$work/tuning" --operation allreduce
asked "with the link's rate" 'not d["measured"] and at["allreduce"][8]["line"] == 1' \
    --synthetic "node:64 core:4" --tuning "$work/tuning" --operation allreduce --link 25GB/s
# Where the link alone is known the rules stand, and what is tried follows it; with a file's levels the model decides.
printf 'level node alpha=1e-5 beta=4e-11\n' >"$work/levels"
asked "the link alone" 'all(r["by"] == "shipped" for rows in o.values() for r in rows) and
    d["link"] == {"seconds_per_byte": 4e-11, "latency": 1e-5, "from": "--link"}' \
    --synthetic "node:3 core:4 by:node" --link 25GB/s
asked "with a file's levels" 'any(r["by"] == "model" for r in o["allreduce"]) and d["link"]["from"] == "'"$work/levels"'"' \
    --synthetic "node:4 core:16" --tuning "$work/levels"
asked "what is tried" '"lanes" in at["allgather"][8]["tried"] + at["allgather"][64]["tried"]' --synthetic "node:4 core:16"
asked "where the link is known" 'not "lanes" in at["allgather"][8]["tried"] + at["allgather"][64]["tried"]' \
    --synthetic "node:4 core:16" --link 25GB/s
asked "of InfiniBand" 'd["link"] == {"seconds_per_byte": 8e-11, "latency": 4e-6, "from": "--link"}' --synthetic "node:4 core:4" \
    --operation bcast --link 100G,infiniband
asked "as shipped" 'd["link"] == {"seconds_per_byte": 1e-9, "latency": 1e-5}' --synthetic "node:4 core:4" --operation bcast
"$dump" rules --synthetic "node:2 core:2" --operation bcast --link system >"$work/text" 2>&1
status=$?
check "this system's link, or none" grep -qE "^link: .* us, from /sys/class/|^topo-dump: --link system: /sys says no rate" "$work/text"
check "its exit status" test $status = "$(grep -c 'says no rate' "$work/text")"
# A link ten times as fast: long messages of the form that is best take up to ten times less, and less at all.
slow=$("$dump" rules --synthetic "node:16 core:8" --operation allreduce --link 10G --format json)
fast=$("$dump" rules --synthetic "node:16 core:8" --operation allreduce --link 100Gbit/s --format json)
check "the rate counts" python3 -c '
import json, sys
s, f = (json.loads(text)["operations"]["allreduce"][-1]["best_seconds"] for text in sys.argv[1:3])
assert 1.5 < s / f < 10.1, (s, f)' "$slow" "$fast"
check "8192 ranks of an operation in ten seconds" timeout 10 "$dump" rules --synthetic "switch:2 node:32 core:128" \
    --link 25GB/s --operation alltoall -o "$work/text"
check "as a table" grep -qE '^  512 +[a-z_]+ +(the model|shipped line [0-9]+) +[0-9.]+ +[0-9.]+ +[0-9.]+ [a-z_]+ +[a-z_,]+$' "$work/text"
asked "what is tried" '"native" in at["allgather"][8]["tried"] and "radix" not in at["allgather"][8]["tried"] and
    at["allgather"][32768]["algorithm"] == "native" and len(at["allgather"][32768]["tried"]) > 1' --synthetic "node:9 core:3 by:node"
asked "on one node the rule alone" 'all(r["tried"] == ([] if r["algorithm"] == "native" else ["native"]) for r in o["bcast"])' \
    --synthetic "node:1 core:8" --operation bcast
echo "bcast bytes=0-100 native or chain or circulant" >"$work/tuning"
asked "by the user's words" 'at["bcast"][8]["tried"] == ["chain", "circulant"] and
    at["bcast"][64]["algorithm"] == "native"' --synthetic "node:5 core:3" --operation bcast --tuning "$work/tuning"
echo "allgather bytes=8 radix radix=2 or radix radix=8 drivers=2" >"$work/tuning"
asked "parameters" 'at["allgather"][8]["algorithm"] == "radix" and at["allgather"][8]["parameters"] == {"radix": 2} and
    at["allgather"][8]["tried"] == ["native", "radix radix=8 drivers=2"] and at["allgather"][64]["parameters"] == {}' \
    --synthetic "node:16 core:4" --operation allgather --tuning "$work/tuning"
# On 16 nodes of one rank each: radix 2 takes 4 steps of one message, radix 16 one step of 15; what each costs is known.
for radix in 2 16; do
    echo "allgather bytes=8 leader radix=$radix" >"$work/radix-$radix"
done
few=$("$dump" rules --synthetic "node:16 core:1" --operation allgather --tuning "$work/radix-2" --format json)
many=$("$dump" rules --synthetic "node:16 core:1" --operation allgather --tuning "$work/radix-16" --format json)
check "the model has the parameter's time" python3 -c '
import json, sys
f, m = (json.loads(text)["operations"]["allgather"][0]["seconds"] for text in sys.argv[1:3])
assert f > 0 and m > 0 and f != m, (f, m)' "$few" "$many"
"$dump" rules --synthetic "node:16 core:4" --operation allgather --tuning "$work/tuning" -o "$work/text"
check "parameters in the table" grep -qE '^  8 +radix radix=2 +tuning line 1 .* native,radix radix=8 drivers=2$' "$work/text"
refused "--synthetic is needed"
old=$("$dump" rules --machine "node:2 core:2" --operation bcast --format json 2>"$work/errors")
check "the old name of --synthetic" test "$old" = "$("$dump" rules --synthetic "node:2 core:2" --operation bcast --format json)"
check "is told" grep -q "^topo-dump: rules: --machine is now --synthetic" "$work/errors"
refused "--synthetic: " --synthetic "node:x"
for rate in 0x10G " 25G" 1e-300G +25G; do
    refused "--link $rate: allowed: a number with K, M, G or T" --synthetic "node:2 core:2" --link "$rate"
done
refused "--link 25G,ether: allowed: a number with K, M, G or T" --synthetic "node:2 core:2" --link 25G,ether
refused "--link 25 parsecs: allowed: a number with K, M, G or T" --synthetic "node:2 core:2" --link "25 parsecs"
refused "--operation brew: allowed: allgather" --synthetic "node:2 core:2" --operation brew
refused "nothing-there" --synthetic "node:2 core:2" --tuning "$work/nothing-there"
echo "allgather radix radix=1" >"$work/wrong"
refused "$work/wrong:1: rule for allgather: 'radix=1': allowed for radix: radix=2-1024, drivers=1-1024" --synthetic "node:2 core:2" \
    --tuning "$work/wrong"
echo "allreduce best" >"$work/wrong"
refused "$work/wrong:1: rule for allreduce: unknown algorithm best" --synthetic "node:2 core:2" --tuning "$work/wrong"
finish
