# What we take is not missing elsewhere: in a small /dev/shm the program, its MPI library and another job find what they
# find without us, and so does a program that takes memory under `ulimit -v`.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
program=$TOP_BUILDDIR/tests/preload/frugal
named=$TOP_BUILDDIR/tests/.libs/named.so # memory with names in /dev/shm
ours=(-x TOPOMPI_ALLREDUCE=lanes -x TOPOMPI_ALLGATHER=lanes) # whatever the guard finds
export MPI_TIMEOUT=60 LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# own COMMAND...: with a /dev/shm of 64 MiB, as containers have, and without a file of anybody else's.
own() {
    # shellcheck disable=SC2016 # expanded inside
    unshare -m bash -c '. "$TOP_SRCDIR/tests/lib.sh"; mount -t tmpfs -o size=64m tmpfs /dev/shm || exit 3; "$@"' - "$@"
}

# value NAME: of a line of what $out is.
value() { sed -n "s/^$1 //p" <<<"$out"; }

# expect NAME LINES: $out is that of a program that is content, and we say so many lines at most.
expect() {
    if ! grep -q '^ok$' <<<"$out" || [ "$(grep -a -c '^topompi: ' <<<"$out")" -gt "$2" ]; then
        fail "$1" "$out"
        return 1
    fi
    pass "$1"
}

# beside PRELOAD FILE: a native job beside one that waits, whose output goes to FILE.ours.
beside() {
    local i
    mpi 4 -x TOPOMPI_ALLREDUCE=lanes -x LD_PRELOAD="$1" "$program" 6 wait "$2" >"$2.ours" 2>&1 &
    for ((i = 0; i < 600; i++)); do
        [ ! -e "$2" ] || break
        sleep 0.1
    done
    apart mpi 4 "$program" 2 shared 4
    rm -f "$2"
    wait
}
export -f beside
export program

if own true 2>/dev/null; then
    out=$(own apart mpi 8 "$program" 6 shared 1)
    expect "a small /dev/shm, natively" 0
    out=$(own apart mpi 8 "${ours[@]}" -x LD_PRELOAD="$library" "$program" 6 shared 1)
    expect "a small /dev/shm, as natively" 0
    out=$(own apart mpi 8 "${ours[@]}" -x LD_PRELOAD="$library:$named" "$program" 6 shared 1)
    expect "a small /dev/shm, memory with names" 1
    # By TCP, so that what is in /dev/shm is ours.
    export MPI_BTL=self,tcp
    out=$(own apart mpi 4 "${ours[@]}" -x LD_PRELOAD="$library" "$program" 2 memory 1)
    expect "memory that is not in /dev/shm" 0
    [ "$(value free)" = 65536 ] || [ "${MPI_KIND:-}" = mpich ] || fail "memory that is not in /dev/shm" "$out"
    out=$(own apart mpi 4 "${ours[@]}" -x LD_PRELOAD="$library:$named" "$program" 20 memory 1)
    expect "a quarter of /dev/shm" 1
    { [ "$(value free)" -ge 49152 ] && [ "$(value free)" -lt 60000 ]; } || fail "a quarter of /dev/shm" "$out"
    unset MPI_BTL
    for preload in "$library" "$library:$named"; do
        out=$(own beside "$preload" "$work/there")
        expect "another job beside ours, $(basename "$preload")" 0
        out=$(cat "$work/there.ours")
        expect "ours beside another job, $(basename "$preload")" "$(grep -c named <<<"$preload")"
    done
else
    skip "a small /dev/shm" "no right to mount"
fi

# Some 14 MiB more than what it takes without us, of which the library's own code has three.
limited() { # KIB COMMAND...
    local limit=$1
    shift
    # shellcheck disable=SC2016 # the rank's shell expands it
    apart mpi 4 "$@" bash -c 'ulimit -v "$0"; exec "$@"' "$limit" "$program" 14 memory 60
}
out=$(limited unlimited)
limit=$(($(value peak) + 14336))
out=$(limited $limit)
if grep -q '^ok$' <<<"$out"; then
    out=$(limited $limit "${ours[@]}" -x LD_PRELOAD="$library")
    expect "memory of the program's own under ulimit -v" 0
else
    skip "memory of the program's own under ulimit -v" "fails without the library, too"
fi

finish
