# run.sh PROGRAM: an MPI test at every rank count of the issue list, on this host. Sourced by test_*.sh.
. "$TOP_SRCDIR/tests/lib.sh"

rank_counts=${RANK_COUNTS:-1 2 3 4 5 7 8 12 16}

# run_at_all_counts PROGRAM [ARGUMENT]...: adds up the closing lines of all runs.
run_at_all_counts() {
    local program=$1 n out line
    shift
    for n in $rank_counts; do
        out=$(apart mpi "$n" "$program" "$@") || true
        line=$(printf '%s\n' "$out" | grep -E '^[0-9]+ passed, [0-9]+ failed' | tail -n 1)
        if [ -z "$line" ]; then
            fail "$(basename "$program") with $n ranks" "no closing line"
            printf '%s\n' "$out" | tail -n 30
            continue
        fi
        passed=$((passed + $(echo "$line" | sed 's/ passed.*//')))
        failed=$((failed + $(echo "$line" | sed 's/.*passed, //; s/ failed.*//')))
        echo "$(basename "$program") with $n ranks: $line"
        printf '%s\n' "$out" | grep '^FAIL' | head -n 20 || true
    done
}
