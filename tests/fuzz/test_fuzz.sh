# Random work with the library preloaded, and defects on purpose that the fuzzer must find without it.
. "$TOP_SRCDIR/tests/lib.sh"
fuzz=$TOP_SRCDIR/tests/fuzz/fuzz
export FUZZ_PATIENCE=${FUZZ_PATIENCE:-30}
[ "${TEST_COUNTS-}" = all ] && last=300 || last=150

# last N passed, N failed of a run's output
summary() { tail -n 1 <<<"$1"; }

# A seed that shows something and passes three times after that is told, and counts as skipped: Open MPI itself hangs
# now and then.
out=$("$fuzz" --seeds "1-$last" --chain 5 --jobs-at-once 2)
again=$(sed -nE 's/^(DIFFERENCE|HANG|CRASH) seed .*(--seeds [0-9]+-[0-9]+ --settings [0-9]+)$/\2/p' <<<"$out")
if [ "$(summary "$out")" = "$last passed, 0 failed" ]; then pass "$last seeds"; elif [ -z "$again" ]; then fail "$last seeds" "$out"; fi
while read -r seeds; do
    [ -n "$seeds" ] || continue
    once=1
    for _ in 1 2 3; do
        # shellcheck disable=SC2086 # options
        [[ "$(summary "$("$fuzz" $seeds)")" == [1-9]*" passed, 0 failed" ]] || once=0
    done
    if [ $once = 1 ]; then skip "$seeds" "shown once: $(grep -a -e "$seeds" <<<"$out" | head -n 1)"; else fail "$seeds" "$out"; fi
done <<<"$again"

# Each is found in one of 6 seeds, of which two have mistakes of which `silent` says nothing; without one nothing is.
out=$("$fuzz" --seeds 1-6 --chain 3 --jobs-at-once 2 --library none --defect none)
if [ "$(summary "$out")" = "6 passed, 0 failed" ]; then pass "no defect"; else fail "no defect" "$out"; fi
export FUZZ_PATIENCE=5
for defect in flip behind gap swap sent hang class silent last_bit one_rank code parts stray; do
    [ "$defect" = silent ] && seeds=9-14 || seeds=1-6
    out=$("$fuzz" --seeds $seeds --chain 3 --jobs-at-once 2 --library none --defect "$defect")
    if grep -q "^DIFFERENCE\|^HANG" <<<"$out"; then pass "defect $defect: $(summary "$out")"; else fail "defect $defect" "$out"; fi
done

# What is wrong within the library is found, too: the reference does not come by it.
out=$(FUZZ_WITHOUT=rounded "$fuzz" --seeds 1-6 --chain 3 --jobs-at-once 2 --defect core)
if grep -q "^DIFFERENCE.* natively " <<<"$out"; then pass "defect core: $(summary "$out")"; else fail "defect core" "$out"; fi
finish
