# What a communicator costs that ends after a few short calls: instructions of the library itself for split, calls, free.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
program=$TOP_BUILDDIR/tests/preload/lives
if [ "${MPI_KIND:-openmpi}" = mpich ]; then
    skip lives "its jobs are two programs in Open MPI's words"
    finish
fi
countable lives
built "$program"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# spent CALLS LIVES OPERATION [alive]: by rank 0 in the library's own functions, on $machine.
machine="node:1 core:2"
told=(-x TOPOMPI_BCAST=auto)
spent() {
    local with=(-x LD_PRELOAD="$library" -x TOPOMPI_CACHE=off -x "TOPOMPI_MACHINE=synthetic:$machine" "${told[@]}")
    mpi 1 "${with[@]}" valgrind -q --tool=callgrind --callgrind-out-file="$work/out" "$program" "$1" "$2" 64 "${@:3}" \
        : -np 1 "${with[@]}" "$program" "$1" "$2" 64 "${@:3}" >/dev/null 2>&1
    awk -f "$TOP_SRCDIR/tests/own.awk" "$work/out"
}

# at_most NUMBER CALLS OPERATION [LIVES [alive]]: a life, as the difference between three times as many of them (default: 100) and so
# many; alive: none ends before the last one has made its calls.
at_most() {
    local few many each lives=${4:-100}
    few=$(spent "$2" "$lives" "$3" "${@:5}")
    many=$(spent "$2" $((3 * lives)) "$3" "${@:5}")
    each=$(((many - few) / (2 * lives)))
    if [ "$few" -gt 0 ] && [ "$each" -le "$1" ]; then
        pass "$2 x $3${5:+, all $5,} on $machine: $each instructions a communicator"
    else
        fail "$2 x $3" "$each instructions a communicator, at most $1 are allowed"
    fi
}
at_most 500 1 allreduce
at_most 500 1 allreduce 1000 alive
at_most 2700 20 allreduce
# What is said of other operations costs nothing, nor that one is native.
told=(-x TOPOMPI_BCAST=leader -x TOPOMPI_ALLREDUCE=native)
at_most 500 1 allreduce
told=(-x TOPOMPI_BCAST=auto)
at_most 5000 40 bcast
# Longer than calls are counted by the handle, and by roots that go round.
machine="node:2 core:1"
at_most 33000 100 bcast 20
finish
