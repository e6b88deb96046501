# Tools of the profiling interface beside the library: one that is preloaded after it sees every call that goes native.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
tool=$TOP_BUILDDIR/tests/preload/.libs/counting_tool.so
plain=$TOP_BUILDDIR/tests/preload/plain
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MPI_TIMEOUT=60

# counted N PRELOAD [NAME=VALUE]... PROGRAM [ARGUMENT]...: what the tool says of rank 0; nothing unless the program says ok.
counted() {
    local n=$1 settings=(-x LD_PRELOAD="$2") out
    shift 2
    while [[ $1 == *=* ]]; do settings+=(-x "$1"); shift; done
    out=$(apart mpi "$n" "${settings[@]}" "$@")
    if grep -q '^ok$' <<<"$out"; then grep '^counted:' <<<"$out"; else echo "$out"; fi
}

# sees NAME N [NAME=VALUE]... PROGRAM [ARGUMENT]...: the tool after the library sees what it sees without it.
sees() {
    local name=$1 n=$2 out all
    shift 2
    all=$(counted "$n" "$tool" "$@")
    out=$(counted "$n" "$library:$tool" "$@")
    if [ "$out" != "$all" ]; then
        fail "$name" "$out instead of $all"
    elif ! grep -qE '^counted:( [1-9][0-9]*){10}$' <<<"$out"; then
        fail "$name" "not all ten operations: $out"
    else
        pass "$name"
    fi
}

sees "a tool, switched off" 4 TOPOMPI=off "$plain"
cat > "$work/off" <<EOF
#!/bin/sh
[ \$OMPI_COMM_WORLD_RANK = 2 ] && export TOPOMPI=off
exec "$plain"
EOF
chmod +x "$work/off"
sees "a tool, switched off on another rank" 4 "$work/off"
sees "a tool, settings that cannot be used" 4 TOPOMPI_MACHINE=nonsense "$plain"
sees "a tool, one rank" 1 "$plain"

# A GPU's driver in one process: buffers may lie on the device, so no rank's calls are ours.
if cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$work/libcuda.so.1" -x c /dev/null; then
    cat > "$work/driver" <<EOF
#!/bin/sh
[ \$OMPI_COMM_WORLD_RANK = 2 ] && export LD_PRELOAD="\$LD_PRELOAD:$work/libcuda.so.1"
exec "$plain" 200
EOF
    chmod +x "$work/driver"
    sees "a driver of a device on another rank" 4 "$work/driver"
else
    skip "a driver of a device" "no C compiler"
fi
sees "a tool, few calls" 4 "TOPOMPI_MACHINE=synthetic:node:1 core:4" "$plain" 3 copy

# What the library runs itself, no tool sees.
out=$(counted 4 "$library:$tool" TOPOMPI_ALLGATHER=bruck_reorder "TOPOMPI_MACHINE=synthetic:node:2 core:2" "$plain")
if [ "${out#counted: 0 }" != "$out" ]; then pass "a tool, an algorithm of ours"; else fail "a tool, an algorithm of ours" "$out"; fi
finish
