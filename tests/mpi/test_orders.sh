# The order in which each form of a reduction adds up is the one of tests/data/orders.txt: bits that programs have had stay
# as they are. EXPECTED=FOLDER writes the orders that there are now.
. "$TOP_SRCDIR/tests/mpi/run.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for n in 6 16; do
    apart mpi "$n" "$TOP_BUILDDIR/tests/mpi/test_orders" >"$work/out" 2>&1
    check "orders with $n ranks were told" grep -q '^[0-9]* passed, 0 failed' "$work/out"
    grep "^$n ranks, " "$work/out" | sort >"$work/now.$n"
    grep "^$n ranks, " "$TOP_SRCDIR/tests/data/orders.txt" >"$work/then"
    check "there are many" test "$(wc -l <"$work/now.$n")" -gt 50
    if diff "$work/then" "$work/now.$n" >"$work/differ"; then
        pass "orders with $n ranks are as before"
    else
        fail "orders with $n ranks are as before" "$(head -n 10 "$work/differ")"
    fi
done
[ -z "$EXPECTED" ] || cat "$work/now.6" "$work/now.16" >"$EXPECTED/orders.txt"
finish
