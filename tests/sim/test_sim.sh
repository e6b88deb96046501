# The library itself on a simulated cluster of 8 nodes with 8 ranks at 1 Gbit/s (docs/SCALE.md): results are right and
# simulated times are those of tests/data/sim_8x8.txt to the last digit, so that whatever changes who sends what, when or
# how long to whom shows here. EXPECTED=FILE writes the times that there are now.
. "$TOP_SRCDIR/tests/lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sim=$TOP_SRCDIR/tests/sim expected=$TOP_SRCDIR/tests/data/sim_8x8.txt
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
    timeout 300 "$sim/run" 8x8 \
        allgather 8,4096,65536 auto,ours:leader,ours:radix,ours:bruck_reorder,mvapich2_smp \
        allgather 65536 ours:lanes,ours:ring,bruck \
        allreduce 8,65536 auto,ours:leader,ours:recursive_halving,circulant \
        allreduce 1048576 auto,ours:lanes,ours:cyclic,ours:mixed_grid,rab_rdb \
        bcast 8,65536,1048576 auto,ours:leader,ours:chain,ompi_pipeline \
        reduce 8,65536,1048576 auto,ours:leader,ours:chain,scatter_gather
}
simulate >"$work/times" 2>"$work/errors"
check "the simulation ends well" test $? -eq 0 -a ! -s "$work/errors"
[ ! -s "$work/errors" ] || head -n 5 "$work/errors"
[ -z "$EXPECTED" ] || cp "$work/times" "$EXPECTED"
check "it has as many times as are expected" test "$(wc -l <"$work/times")" -eq "$(wc -l <"$expected")"
wrong=$(grep -v ' right$' "$work/times" | head -n 3)
[ -z "$wrong" ] && pass "all results are right" || fail "all results are right" "$wrong"
# No link can carry more than its rate, whatever the pattern.
below=$(awk '{ least = $1 == "allgather" ? 56 * $2 / 125 : $1 == "allreduce" ? 1.75 * $2 / 125 : $2 / 125 }
    $4 < least' "$work/times")
[ -z "$below" ] && pass "no time is below the bound of the links" || fail "no time is below the bound of the links" "$below"

# What SimGrid makes of the same messages may differ from version to version.
if ! smpirun -version 2>/dev/null | grep -q 'version 3\.32'; then
    skip "simulated times" "they are of SimGrid 3.32"
    finish
fi
if diff "$expected" "$work/times" >"$work/differ"; then
    pass "simulated times are as before"
else
    fail "simulated times are as before" "< expected, > now; EXPECTED=$expected with this test writes the new ones"
    cat "$work/differ"
fi
finish
