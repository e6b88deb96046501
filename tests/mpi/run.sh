# run.sh PROGRAM: an MPI test at several rank counts on this host. Sourced by test_*.sh.
. "$TOP_SRCDIR/tests/lib.sh"

# counts SHORT ALL: the rank counts of a test. RANK_COUNTS names others; TEST_COUNTS=all takes ALL (tests/run --all).
counts() {
    rank_counts=$1
    [ "${TEST_COUNTS:-}" != all ] || rank_counts=$2
    rank_counts=${RANK_COUNTS:-$rank_counts}
}
# One, a pair, odd numbers, powers of two and an even number that is none; with 16, nodes of 7, 5, 3 and 1 ranks and uneven racks. What
# only the second list has brings no other kind of machine (tests/mpi/harness.c), and takes four tenths of the whole time.
counts "1 2 3 4 6 7 16" "1 2 3 4 5 6 7 8 12 16"

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

# named PROGRAM [ARGUMENT]...: what ranks run so that node-shared memory has names in /dev/shm (tests/named.c).
# shellcheck disable=SC2016,SC2034 # the rank's shell expands it; it is for those who source this
named=(bash -c 'LD_PRELOAD=$0${LD_PRELOAD:+:$LD_PRELOAD} exec "$@"' "$TOP_BUILDDIR/tests/.libs/named.so")

# on_small_shm N PROGRAM [ARGUMENT]...: with a /dev/shm that is nearly full: nobody dies of SIGBUS.
on_small_shm() {
    local small='mount -t tmpfs -o size=64k tmpfs /dev/shm'
    if unshare --mount --propagation private sh -c "$small" 2>/dev/null; then
        # shellcheck disable=SC2016 # expanded inside
        small_shm() { unshare --mount --propagation private bash -c "$small"' && . "$TOP_SRCDIR/tests/lib.sh" &&
            mpi "$1" --mca btl_vader_backing_directory /tmp "${@:2}"' - "$@" | tail -n 20 | grep ', 0 failed'; }
        check "a full /dev/shm" small_shm "$1" "${named[@]}" "${@:2}"
    else
        skip "a full /dev/shm" "no right to mount"
    fi
}
