# The library itself on a simulated cluster of 8 nodes with 8 ranks at 1 Gbit/s (docs/SCALE.md): results are right and
# simulated times are those of tests/data/sim_8x8.txt to the last digit, so that whatever changes who sends what, when or
# how long to whom shows here; so are those on 4 racks of 4 nodes of 16 of what looks at racks and at many nodes
# (tests/data/sim_4x4x16.txt), on 64 nodes of what goes down several trees at a time, and on
# ten, which a radix of 4 does not divide evenly, of an all-reduce (tests/data/sim_trees.txt).
# EXPECTED=FOLDER writes the times that there are now.
. "$TOP_SRCDIR/tests/lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sim=$TOP_SRCDIR/tests/sim data=$TOP_SRCDIR/tests/data
# refused LINE COMMAND...: with status 2 and that line alone, before anything is built.
refused() {
    local out status=0
    out=$("${@:2}" 2>&1) || status=$?
    [ $status = 2 ] && [ "$out" = "run: $1" ] || { echo "$status: $out" && return 1; }
}
for value in none -1 1e3 4294967297; do
    check "SIM_FIRST=$value" refused "SIM_FIRST: $value; allowed: 0..2147483647" \
        env SIM_FIRST="$value" "$sim/run" 8x8 allgather 8 auto
done
check "sizes that are none" refused "BYTES: 8,x; allowed: numbers, with commas between" "$sim/run" 8x8 allgather 8,x auto
check "a size beyond int" refused "BYTES: 9999999999; allowed: 0..2147483647" "$sim/run" 8x8 allgather 9999999999 auto
check "an operation that is none" refused "OPERATION: scan; allowed: allgather allgatherv allreduce bcast reduce" "$sim/run" 8x8 scan 8 auto
check "arguments of no threes" refused "arguments: 2; allowed: OPERATION BYTES,... NAME,..., once or more" "$sim/run" 8x8 allgather 8
"$sim/build" "$TOP_BUILDDIR/tests/sim/out" >"$work/built" 2>&1
status=$?
if [ $status -eq 77 ]; then
    skip "simulated times" "$(tail -n 1 "$work/built")"
    finish
fi
if [ $status -ne 0 ]; then
    fail "the library is built for the simulator" "$(tail -n 5 "$work/built")"
    finish
fi
unset "${!TOPOMPI@}"
simulate() {
    timeout 900 "$sim/run" 8x8 \
        allgather 8,4096,65536 auto,ours:leader,ours:radix,ours:bruck_reorder,mvapich2_smp \
        allgather 65536 ours:lanes,ours:ring,bruck \
        allgatherv 4096,65536 auto,ours:leader \
        allreduce 8,65536 auto,ours:leader,ours:recursive_halving,circulant \
        allreduce 1048576 auto,ours:lanes,ours:cyclic,ours:mixed_grid,rab_rdb \
        bcast 8,65536,1048576 auto,ours:leader,ours:chain,ompi_pipeline \
        reduce 8,65536,1048576 auto,ours:leader,ours:chain,scatter_gather
}
simulate_racks() {
    timeout 900 "$sim/run" 4x4x16 bcast 32768,262144 ours:circulant reduce 32768,262144 ours:circulant,ours:chain \
        reduce 16384 auto,ours:leader allreduce 16384 auto,ours:leader
}
simulate_trees() {
    timeout 900 "$sim/run" 64x1 bcast 4096,262144 ours:trees reduce 8192,262144 ours:trees
    timeout 900 "$sim/run" 64x2 bcast 100000 ours:trees reduce 100000 ours:trees
    timeout 900 "$sim/run" 10x5 allreduce 65536,524288 ours:lanes
}
# simulated NAME COMMAND: its times and results, and that it has as many as tests/data/sim_NAME.txt.
simulated() {
    "$2" >"$work/$1" 2>"$work/errors"
    check "the simulation of $1 ends well" test $? -eq 0 -a ! -s "$work/errors"
    [ ! -s "$work/errors" ] || head -n 5 "$work/errors"
    [ -z "$EXPECTED" ] || cp "$work/$1" "$EXPECTED/sim_$1.txt"
    check "it has as many times as are expected" test "$(wc -l <"$work/$1")" -eq "$(wc -l <"$data/sim_$1.txt")"
    wrong=$(grep -v ' right$' "$work/$1" | head -n 3)
    [ -z "$wrong" ] && pass "all results on $1 are right" || fail "all results on $1 are right" "$wrong"
}
simulated 8x8 simulate
simulated 4x4x16 simulate_racks
simulated trees simulate_trees
# No link can carry more than its rate, whatever the pattern.
below=$(awk '{ least = $1 == "allgather" ? 56 * $2 / 125 : $1 == "allreduce" ? 1.75 * $2 / 125 : $2 / 125 }
    $4 < least' "$work/8x8")
[ -z "$below" ] && pass "no time is below the bound of the links" || fail "no time is below the bound of the links" "$below"

# What SimGrid makes of the same messages may differ from version to version.
if ! smpirun -version 2>/dev/null | grep -q 'version 3\.32'; then
    skip "simulated times" "they are of SimGrid 3.32"
    finish
fi
for machine in 8x8 4x4x16 trees; do
    if diff "$data/sim_$machine.txt" "$work/$machine" >"$work/differ"; then
        pass "simulated times on $machine are as before"
    else
        fail "simulated times on $machine are as before" "< expected, > now; EXPECTED=$data with this test writes the new ones"
        cat "$work/differ"
    fi
done
finish
