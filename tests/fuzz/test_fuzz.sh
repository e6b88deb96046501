# Jobs of random work with the library preloaded, and defects on purpose that the fuzzer must find without it.
. "$TOP_SRCDIR/tests/lib.sh"
fuzz=$TOP_SRCDIR/tests/fuzz/fuzz
export FUZZ_PATIENCE=${FUZZ_PATIENCE:-30}

# last N passed, N failed of a run's output
summary() { tail -n 1 <<<"$1"; }

# A seed that shows something and passes three times after that is told, and counts as skipped: Open MPI itself hangs
# now and then.
out=$("$fuzz" --seeds 1-300 --jobs-at-once 2)
again=$(grep -aoE '^(DIFFERENCE|HANG|CRASH) seed [0-9]+' <<<"$out" | grep -oE '[0-9]+$' | sort -nu)
if [ "$(summary "$out")" = "300 passed, 0 failed" ]; then pass "300 jobs"; elif [ -z "$again" ]; then fail "300 jobs" "$out"; fi
for seed in $again; do
    once=1
    for _ in 1 2 3; do
        [ "$(summary "$("$fuzz" --seeds "$seed-$seed")")" = "1 passed, 0 failed" ] || once=0
    done
    if [ $once = 1 ]; then skip "seed $seed" "shown once: $(grep -a "seed $seed " <<<"$out" | head -n 1)"; else fail "seed $seed" "$out"; fi
done

# Each is found in one of the first 6 jobs; without one nothing is.
out=$("$fuzz" --seeds 1-6 --jobs-at-once 2 --library none --defect none)
if [ "$(summary "$out")" = "6 passed, 0 failed" ]; then pass "no defect"; else fail "no defect" "$out"; fi
export FUZZ_PATIENCE=5
for defect in flip behind gap swap sent hang class silent last_bit one_rank code stray; do
    out=$("$fuzz" --seeds 1-6 --jobs-at-once 2 --library none --defect "$defect")
    if grep -q "^DIFFERENCE\|^HANG" <<<"$out"; then pass "defect $defect: $(summary "$out")"; else fail "defect $defect" "$out"; fi
done
finish
