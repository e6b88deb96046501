# Error handlers that leave the failing call by longjmp or by a C++ exception, with the library preloaded.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
source=$TOP_SRCDIR/tests/preload/leaving.c
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MPI_TIMEOUT=60

# preloaded N NAME=VALUE... PROGRAM ARGUMENT
preloaded() {
    local n=$1 settings=(-x LD_PRELOAD="$library")
    shift
    while [[ $1 == *=* ]]; do settings+=(-x "$1"); shift; done
    apart mpi "$n" "${settings[@]}" "$@"
}

# ok NAME OUTPUT: the program found nothing wrong.
ok() {
    if grep -q '^ok$' <<<"$2"; then pass "$1"; else fail "$1" "$2"; fi
}

nodes="TOPOMPI_MACHINE=synthetic:node:2 core:2"
observed=(TOPOMPI_STATS=1 TOPOMPI_TRACE="$work/trace" TOPOMPI_PREPARE=create)
shared=(TOPOMPI_ALLGATHER=leader TOPOMPI_ALLREDUCE=lanes TOPOMPI_ALLTOALLV=node_aware TOPOMPI_BARRIER=leader TOPOMPI_BCAST=leader TOPOMPI_REDUCE=chain)

# ways WAY PROGRAM
ways() {
    ok "$1, natively" "$(apart mpi 4 "$2" one)"
    ok "$1, by itself" "$(preloaded 4 "$nodes" "$2" one)"
    ok "$1, by itself, the machine measured" "$(preloaded 4 "$nodes" TOPOMPI_MEASURE=on "$2" one)"
    ok "$1, by itself, observed" "$(preloaded 4 "$nodes" "${observed[@]}" "$2" one)"
    ok "$1, shared memory" "$(preloaded 4 "$nodes" "${shared[@]}" "$2" one)"
    ok "$1, shared memory, observed" "$(preloaded 4 "$nodes" "${shared[@]}" "${observed[@]}" "$2" one)"
    ok "$1 from errors of ours" "$(preloaded 3 TOPOMPI_STRICT=1 TOPOMPI_ALLGATHER=recursive_doubling "$2" all)"
    ok "$1 from errors of ours, observed" \
        "$(preloaded 3 TOPOMPI_STRICT=1 TOPOMPI_ALLGATHER=recursive_doubling "${observed[@]}" "$2" all)"
}

ways longjmp "$TOP_BUILDDIR/tests/preload/leaving"
read -ra flags <<<"$("$MPICC" --showme:compile) $("$MPICC" --showme:link)"
if ! command -v c++ > /dev/null; then
    skip "a C++ exception" "no C++ compiler (Debian: g++)"
elif ! c++ -DOMPI_SKIP_MPICXX -x c++ -o "$work/throwing" "$source" -x none "${flags[@]}" > "$work/log" 2>&1; then
    fail "a C++ exception" "does not compile: $(tail -n 5 "$work/log")"
else
    ways "a C++ exception" "$work/throwing"
fi
finish
