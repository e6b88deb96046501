# What the library needs is missing: node-shared memory, memory on one rank, files, the library itself on some ranks; and
# jobs that share a host. The job goes on, natively if need be, or ends with an MPI error; never with wrong bytes.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
program=$TOP_BUILDDIR/tests/preload/faults
named=$TOP_BUILDDIR/tests/.libs/named.so # node-shared memory has names in /dev/shm
no_memory=$TOP_BUILDDIR/tests/preload/.libs/no_memory.so
export MPI_TIMEOUT=60 LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

by_itself=()
leader=(ALLGATHER=leader ALLREDUCE=leader BARRIER=leader BCAST=leader REDUCE=leader ALLGATHERV=leader
    REDUCE_SCATTER=leader REDUCE_SCATTER_BLOCK=leader ALLTOALL=node_aware ALLTOALLV=css)
lanes=(ALLGATHER=lanes ALLREDUCE=lanes BCAST=chain REDUCE=chain ALLGATHERV=radix REDUCE_SCATTER=lanes
    REDUCE_SCATTER_BLOCK=lanes ALLTOALLV=node_aware BARRIER=tree)

# arguments SET: what mpi() takes for it, in $words.
arguments() {
    local -n rows=$1
    local row
    words=(-x "TOPOMPI_MACHINE=synthetic:node:2 core:2")
    for row in "${rows[@]}"; do words+=(-x "TOPOMPI_$row"); done
}

# expect NAME OUTPUT LINES [WORD]: the program is "ok", the library says so many lines, WORD in them.
expect() {
    local lines
    lines=$(grep -a -c '^topompi: ' <<<"$2")
    if ! grep -a -q '^ok$' <<<"$2"; then
        fail "$1" "$2"
    elif [ "$lines" != "$3" ] || { [ -n "$4" ] && ! grep -a -q "^topompi: .*$4" <<<"$2"; }; then
        fail "$1: $3 lines${4:+ with $4}" "$2"
    else
        pass "$1"
    fi
}

# attempt NAME LINES WORD COMMAND...: the same of what the command prints.
attempt() {
    expect "$1" "$("${@:4}")" "$2" "$3"
}

# A /dev/shm of its own, so that nobody else's is filled. Messages by TCP: vader needs files of its own there.
own_shm() {
    # shellcheck disable=SC2016 # expanded inside
    unshare -m bash -c '. "$TOP_SRCDIR/tests/lib.sh"; mount -t tmpfs -o size="$1" tmpfs /dev/shm || exit 3
        shift; apart mpi "$@"; status=$?; ls /dev/shm/topompi-* 2>/dev/null; exit $status' - "$@"
}
if unshare -m mount -t tmpfs -o size=64k tmpfs /dev/shm 2>/dev/null; then
    arguments lanes
    expect "/dev/shm of 4k, memory elsewhere" \
        "$(MPI_BTL=self,tcp own_shm 4k 4 -x LD_PRELOAD="$library" "${words[@]}" "$program" calls)" 0
    for size in 4k 64k 1m; do
        for set in by_itself leader lanes; do
            arguments $set
            out=$(MPI_BTL=self,tcp own_shm $size 4 -x LD_PRELOAD="$library:$named" "${words[@]}" "$program" calls)
            expect "/dev/shm of $size, ${set//_/ }" "$out" 1 "KiB of node-shared memory: No space left on device"
            ! grep -q '/topompi-' <<<"$out" || fail "/dev/shm of $size, ${set//_/ }: nothing is left" "$out"
        done
    done
    for set in by_itself leader lanes; do
        arguments $set
        out=$(MPI_BTL=self,tcp own_shm 4m 4 -x LD_PRELOAD="$library:$named" "${words[@]}" "$program" calls fill /dev/shm/full)
        expect "/dev/shm full for a while, ${set//_/ }" "$out" 1 "KiB of node-shared memory: No space left on device"
    done
else
    skip "tiny /dev/shm" "no right to mount"
fi

# Memory of the library alone fails on one rank, once or for good: native everywhere, or the call's MPI error, which ends
# the job here. How many requests there are is counted first.
error=$("$program" no_mem)
without_memory() { # RANK AFTER TIMES SET
    local out code=0 name="memory out on rank $1 after $2 requests, ${4//_/ }"
    out=$(apart mpi 4 -x LD_PRELOAD="$no_memory:$library" -x FAIL_RANK="$1" -x FAIL_AFTER="$2" -x FAIL_TIMES="$3" \
        "${words[@]}" "$program" calls) || code=$?
    if { [ $code = 0 ] && grep -q '^ok$' <<<"$out"; } || { [ $code = "$error" ] && ! grep -q '^wrong' <<<"$out"; }; then
        pass "$name"
    else
        fail "$name" "exit status $code: $out"
    fi
}
for set in by_itself leader lanes; do
    arguments $set
    out=$(apart mpi 4 -x LD_PRELOAD="$no_memory:$library" -x FAIL_RANK=1 -x FAIL_AFTER=1000000 -x FAIL_COUNT=1 "${words[@]}" \
        "$program" calls)
    requests=$(sed -n 's/^requests //p' <<<"$out")
    if [ "${requests:-0}" -lt 100 ]; then
        fail "memory, ${set//_/ }" "$requests requests were counted: $out"
        continue
    fi
    at=(0 5 12 51 7 23)
    for i in 1 2 3 4 5 6; do at+=($((requests * i / 7))); done
    for i in "${!at[@]}"; do
        in_turn without_memory $((i % 4)) "${at[i]}" $((i % 2 ? 1 : 1000000)) $set
    done
    all_through
done

# Paths: one line, natively. Those that are written: the job goes on as it was.
preloaded() { apart mpi 4 -x LD_PRELOAD="$library" -x "$1" "$program" calls "${@:2}"; }
mkdir "$work/folder"
mkfifo "$work/fifo"
ln -s "$work/loop" "$work/loop"
head -c 50000 /dev/urandom >"$work/noise"
printf '# a file that ends early, as it seems\n\0' | cat - "$work/noise" >"$work/zero"
for path in "$work/missing" "$work/folder" "$work/fifo" "$work/loop" "$work/noise" "$work/zero" "$work/noise/x" /dev/zero; do
    for option in TOPOMPI_TUNING= TOPOMPI_MACHINE=file:; do
        in_turn attempt "$option${path/#$work/...}" 1 "the job runs natively" preloaded "$option$path"
    done
done
for path in "$work/folder" "$work/fifo" /dev/zero; do
    in_turn attempt "TOPOMPI_TUNING=learn:${path/#$work/...}" 1 "what earlier jobs found is not used" \
        preloaded "TOPOMPI_TUNING=learn:$path"
done
for path in "$work/noise" "$work/fifo" "$work/no/such" /proc/nothing; do
    in_turn attempt "TOPOMPI_TRACE=${path/#$work/...}" 1 "there is no trace" preloaded "TOPOMPI_TRACE=$path"
done
mkdir "$work/gone-too"
in_turn attempt "TOPOMPI_TRACE, the folder vanishes" 0 "" \
    preloaded "TOPOMPI_TRACE=$work/gone-too" remove "$work/gone-too"
all_through
# own_folder OPTIONS PATH-OPTION: on a file system of its own.
own_folder() {
    # shellcheck disable=SC2016 # expanded inside
    unshare -m bash -c '. "$TOP_SRCDIR/tests/lib.sh"; mount -t tmpfs -o "$1" tmpfs "$2" || exit 3
        head -c "$3" /dev/zero >"$2/full"; shift 3; apart mpi 4 "$@"' - "$@" 2>/dev/null
}
if unshare -m mount -t tmpfs tmpfs "$work/folder" 2>/dev/null; then
    folder=$work/folder
    run=(-x LD_PRELOAD="$library")
    expect "TOPOMPI_TRACE, full" "$(own_folder size=64k "$folder" 0 "${run[@]}" -x TOPOMPI_TRACE="$folder" "$program" calls)" \
        4 "the trace ends here"
    expect "TOPOMPI_TRACE, read-only" "$(own_folder ro "$folder" 0 "${run[@]}" -x TOPOMPI_TRACE="$folder" "$program" calls)" \
        1 "there is no trace"
else
    skip "full and read-only file systems" "no right to mount"
fi
if [ "$(id -u)" != 0 ]; then
    chmod 0 "$work/noise"
    expect "TOPOMPI_TUNING, unreadable" "$(preloaded "TOPOMPI_TUNING=$work/noise")" 1 "Permission denied"
else
    skip "unreadable file" "root reads them all"
fi

# The library on some ranks only, and another version on one.
mkdir "$work/other"
version=$(sed -n 's/^#define VERSION "\(.*\)"/\1/p' "$TOP_BUILDDIR/config.h" | sed 's/\./\\./g')
for part in libtopompi.so "$core"; do
    sed "s/$version/9.9.9/g" "${library%/*}/$part" >"$work/other/$part"
done
cat >"$work/some" <<'EOF'
#!/bin/sh
if [ "$OMPI_COMM_WORLD_RANK" = "$1" ]; then export LD_PRELOAD="$2"; else export LD_PRELOAD="$3"; fi
shift 3
exec "$@"
EOF
chmod +x "$work/some"
for rank in 0 1 3; do
    in_turn attempt "rank $rank without the library" 1 "rank $rank runs without" \
        apart mpi 4 "$work/some" $rank "" "$library" "$program" calls
    in_turn attempt "another version on rank $rank" 1 "runs without TopoMPI" \
        apart mpi 4 "$work/some" $rank "$work/other/libtopompi.so" "$library" "$program" calls
done
all_through

# Two jobs at once on this host, one of them in namespaces of its own, as in a container: process ids are the same in
# both, /dev/shm is common. Messages by TCP there: vader would name its files alike.
# pair NAME COMMAND...: the second job; the first is as usual.
pair() {
    local name=$1 first
    shift
    apart mpi 4 -x LD_PRELOAD="$library" "${words[@]}" "$program" calls >"$work/first" &
    first=$!
    expect "$name: the one" "$("$@")" 0
    wait $first
    expect "$name: the other" "$(cat "$work/first")" 0
}
contained() {
    # shellcheck disable=SC2016 # expanded inside
    MPI_BTL=self,tcp TMPDIR=$work/folder unshare -m -u -p -f --mount-proc bash -c \
        '. "$TOP_SRCDIR/tests/lib.sh"; hostname container; apart mpi "$@"' - "$@"
}
for set in leader lanes; do
    arguments $set
    pair "two jobs, $set" apart mpi 4 -x LD_PRELOAD="$library" "${words[@]}" "$program" calls
    if unshare -m -u -p -f --mount-proc hostname container 2>/dev/null; then
        pair "two jobs, one in namespaces, $set" contained 4 -x LD_PRELOAD="$library" "${words[@]}" "$program" calls
    else
        skip "two jobs, one in namespaces, $set" "no right to namespaces"
    fi
done
finish
