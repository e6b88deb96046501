# TopoMPI built with MPICH: from a copy of the source, then a short form of what the other tests do with the MPI that this
# tree is built with. MPI programs run with 3 ranks. MPICH_TESTS=all: those that take long or find what others do, too.
. "$TOP_SRCDIR/tests/lib.sh"
here=$TOP_SRCDIR/tests/preload
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
library=$tree/src/.libs/libtopompi.so
unset MAKEFLAGS MFLAGS MAKELEVEL
export MPI_TIMEOUT=120

if [ "$MPI_KIND" = mpich ]; then skip "a tree for MPICH" "this one is" && finish; fi
for need in mpicc.mpich mpiexec.mpich autoreconf libtoolize; do
    command -v $need >/dev/null || { skip "MPICH" "no $need (Debian: mpich libmpich-dev, autoconf automake libtool)" && finish; }
done
MPI_KIND=mpich MPIRUN=mpiexec.mpich
tests=(allgather allreduce_ops alltoallv barrier bcast lifetime operands reduce threads)
if [ "${MPICH_TESTS:-}" = all ]; then
    tests+=(allgatherv allreduce alltoall bottom interleaved reduce_scatter shared traffic)
    export MPI_TIMEOUT=300
fi
programs=(tests/preload/plain tests/preload/large_counts tests/preload/endings tests/yield.la "${tests[@]/#/tests/mpi/test_}")
export MPI_YIELD=$tree/tests/.libs/yield.so

build() {
    make -s -C "$TOP_BUILDDIR" distdir distdir="$tree" top_distdir="$tree" && chmod -R u+w "$tree" && cd "$tree" &&
        autoreconf -i && ./configure -q --enable-werror CFLAGS=-O1 MPICC=mpicc.mpich && make -s -j2 && make -s -j2 "${programs[@]}"
}
if ! (build) >"$work/log" 2>&1; then
    fail "the library is built with MPICH" "$(tail -n 30 "$work/log")"
    finish
fi
pass "the library is built with MPICH"
# Where they do not, everything below still passes, but takes ten times as long.
check "ranks that wait yield their processors" grep -q ' T ucp_worker_progress$' <(nm -D "$MPI_YIELD")
plain=$tree/tests/preload/plain

# preloaded [NAME=VALUE]... PROGRAM...: four ranks; what it printed.
preloaded() {
    local settings=(-x LD_PRELOAD="$library")
    while [[ $1 == *=* ]]; do settings+=(-x "$1") && shift; done
    apart mpi 4 "${settings[@]}" "$@"
}
# has NAME OUTPUT PATTERN...: each is in it.
has() {
    local name=$1 out=$2 pattern
    for pattern in "${@:3}"; do
        grep -qE -- "$pattern" <<<"$out" || { fail "$name" "no '$pattern' in: $out" && return; }
    done
    pass "$name"
}
settings=("TOPOMPI_MACHINE=synthetic:node:2 core:2" TOPOMPI_ALLGATHER=bruck_reorder TOPOMPI_BARRIER=leader TOPOMPI_BCAST=leader
    TOPOMPI_REDUCE=leader TOPOMPI_ALLGATHERV=leader TOPOMPI_ALLTOALL=node_aware TOPOMPI_REDUCE_SCATTER=leader
    TOPOMPI_REDUCE_SCATTER_BLOCK=lanes TOPOMPI_ALLTOALLV=node_aware TOPOMPI_STATS=1)
ours=('allgather .* bruck_reorder' 'barrier .* leader' 'bcast .* leader' 'reduce .* leader' 'allgatherv .* leader'
    'alltoall .* node_aware' 'reduce_scatter .* leader' 'reduce_scatter_block .* lanes' 'alltoallv .* node_aware')
has "C" "$(preloaded "${settings[@]}" "$plain")" '^ok$' 'TopoMPI .*, MPICH [0-9]' "${ours[@]}"
has "by itself" "$(preloaded "TOPOMPI_MACHINE=synthetic:node:1 core:4" TOPOMPI_STATS=1 "$plain" 200)" '^ok$' 'allgather .* leader'
has "switched off, the baseline" "$(preloaded TOPOMPI=off TOPOMPI_STATS=1 "$plain")" '^ok$' 'allgather .* native'
for ending in callback own finalize; do
    has "endings, $ending" "$(preloaded "${settings[@]}" TOPOMPI_ALLREDUCE=lanes "$tree/tests/preload/endings" $ending)" '^ok$'
done

# Calls of MPI 4: persistent collectives pass through; large counts do not.
if mpicc.mpich -Wall -Wextra -Werror -o "$work/newer" "$here/newer_calls.c" >"$work/log" 2>&1; then
    has "MPI 4" "$(preloaded TOPOMPI_ALLGATHER=leader TOPOMPI_STATS=1 "TOPOMPI_MACHINE=synthetic:node:1 core:4" "$work/newer")" '^ok$'
else
    fail "MPI 4" "$(tail -n 5 "$work/log")"
fi

. "$here/large_counts.sh"
large_counts "$library" "$tree/tests/preload/large_counts"

# Which ranks have the library: ranks of LACKS run without, one of OTHER with another version.
. "$here/ranks.sh"
ranks_differ PMI_RANK "$plain"
on_host() { mpi 6 -x TOPOMPI_VERBOSE=1 "$@"; }
# The cluster hands TOPOMPI_* on, and other variables by its arguments. MPICH 4.0.2 with UCX over TCP hangs in MPI_Finalize
# now and then, natively too: what the library said until then counts.
on_nodes() {
    local words=()
    while [ "$1" = -x ]; do words+=(-genv "${2%%=*}" "${2#*=}") && shift 2; done
    TOPOMPI_VERBOSE=1 timeout -k 10 20 "$TOP_SRCDIR/tests/cluster/cluster" with --nodes 3 --slots 2 -- \
        run --mpi mpich -- ${words[@]+"${words[@]}"} "$@"
}
# found NAME WHERE MISSING [NAME=VALUE]...: one line says which rank lacks it, or all ranks have it.
found() {
    local name=$1 where=$2 missing=$3 set=() out said
    shift 3
    for word; do set+=(-x "$word"); done
    out=$(apart "$where" ${set[@]+"${set[@]}"} "$work/rank")
    said=$(grep '^topompi:' <<<"$out")
    if [ "$where" = on_host ] && ! grep -q '^ok$' <<<"$out"; then
        fail "$name" "$out"
    elif [ "$missing" = none ]; then
        if [[ $said == *"machine level 0"* && $said != *without* ]]; then pass "$name"; else fail "$name" "$out"; fi
    elif [[ $said == "topompi: rank $missing runs without TopoMPI "* && $said != *$'\n'* ]]; then
        pass "$name"
    else
        fail "$name" "$out"
    fi
}
found "on this host, everywhere" on_host none
found "on this host, not on the first rank" on_host 0 LACKS=0
found "on this host, not in the middle" on_host 2 LACKS=2
found "on this host, on the last rank only" on_host 0 "LACKS=0 1 2 3 4"
found "on this host, another version" on_host 3 OTHER=3
found "on this host, a late rank" on_host none LATE=3
found "on this host, a late rank that lacks it" on_host 3 LATE=3 LACKS=3
if "$TOP_SRCDIR/tests/cluster/cluster" can >/dev/null 2>&1; then
    # Each may wait for that hang's end.
    in_turn found "on nodes, everywhere" on_nodes none
    in_turn found "on nodes, not on the last node" on_nodes 4 "LACKS=4 5"
    in_turn found "on nodes, a late rank that lacks it" on_nodes 3 LATE=3 LACKS=3
    all_through
else
    skip "on nodes" "no right to make a cluster here"
fi
has "without Hydra's pipe" "$(preloaded env -u PMI_FD "$plain" 2>&1)" '^ok$'

# The programs of the other MPI library are left alone, as MPICH's are by a library of Open MPI.
if "$MPICC" --showme:version >/dev/null 2>&1 && "$MPICC" -o "$work/foreign" "$here/plain.c" 2>/dev/null; then
    has "a program of Open MPI" "$(LD_PRELOAD=$library timeout 60 "$work/foreign" 2>&1)" '^ok$' \
        'of this program is libmpi\.so[.0-9]* \(Open MPI .*\); of the cores that TopoMPI has here, (libtopompi-core-abi.so, )?libtopompi-core-mpich.so, none'
fi

# Results beside the native ones, and the tools.
for name in "${tests[@]}"; do
    out=$(apart mpi 3 "$tree/tests/mpi/test_$name")
    has "test_$name" "$out" '^[1-9][0-9]* passed, 0 failed'
done
has "topo-bench" "$(apart mpi 2 "$tree/tools/topo-bench/topo-bench" allgather -s 8 --time 0.1 --algorithms native,leader)" \
    '^ +leader +[0-9]'
# MPICH's own algorithms by its own controls, each with the right result; those that there are.
has "topo-bench, native:NAME" "$(apart mpi 2 "$tree/tools/topo-bench/topo-bench" allgather -s 8,64K --time 0.1 --no-link-test \
    --algorithms native,native:brucks,native:ring)" '^ +native:brucks +[0-9]' '^ +native:ring +[0-9]'
has "topo-bench, native:NAME, none such" "$(apart mpi 2 "$tree/tools/topo-bench/topo-bench" barrier --algorithms native:ring)" \
    'no ring of its own for barrier; allowed: native:nb native:smp native:dissemination$'
has "topompi-run --check" "$(apart timeout 120 "$tree/tools/topompi-run/topompi-run" --check mpiexec.mpich -n 3)" \
    'MPICH Version: *4' '^all is as it is to be$'
finish
