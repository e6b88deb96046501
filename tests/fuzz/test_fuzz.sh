# Jobs of random work with the library preloaded, and defects on purpose that the fuzzer must find without it.
. "$TOP_SRCDIR/tests/lib.sh"
fuzz=$TOP_SRCDIR/tests/fuzz/fuzz
export FUZZ_PATIENCE=${FUZZ_PATIENCE:-30}

# last N passed, N failed of a run's output
summary() { tail -n 1 <<<"$1"; }

out=$("$fuzz" --seeds 1-300 --jobs-at-once 2)
if [ "$(summary "$out")" = "300 passed, 0 failed" ]; then pass "300 jobs"; else fail "300 jobs" "$out"; fi

# Each is found in one of the first 6 jobs; without one nothing is.
out=$("$fuzz" --seeds 1-6 --jobs-at-once 2 --library none --defect none)
if [ "$(summary "$out")" = "6 passed, 0 failed" ]; then pass "no defect"; else fail "no defect" "$out"; fi
export FUZZ_PATIENCE=5
for defect in flip behind gap swap sent hang class silent last_bit one_rank code stray; do
    out=$("$fuzz" --seeds 1-6 --jobs-at-once 2 --library none --defect "$defect")
    if grep -q "^DIFFERENCE\|^HANG" <<<"$out"; then pass "defect $defect: $(summary "$out")"; else fail "defect $defect" "$out"; fi
done
finish
