# What the library promises to programs (docs/SEMANTICS.md), with the library preloaded.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
program=$TOP_BUILDDIR/tests/preload/promises
export MPI_TIMEOUT=150

# kept N MACHINE WHAT [NAME=VALUE]...: the job of N ranks found nothing wrong; MACHINE as TOPOMPI_MACHINE.
kept() {
    local n=$1 machine=$2 what=$3 settings=() out
    shift 3
    for setting in "$@"; do settings+=(-x "$setting"); done
    out=$(apart mpi "$n" -x LD_PRELOAD="$library" -x TOPOMPI_MACHINE="$machine" "${settings[@]}" "$program" "$what")
    case $out in
    ok*) pass "$what, $n ranks, $machine $*" ;;
    "no MPI_THREAD_MULTIPLE"*) skip "$what" "$out" ;;
    *) fail "$what, $n ranks, $machine $*" "$out" ;;
    esac
}

for what in idup idup_same idup_last creation early bits extremes groups; do
    kept 2 auto $what
    kept 4 "synthetic:node:2 core:2" $what
    kept 5 "synthetic:node:3 core:3,1,1 by:node" $what
done
# Memory that is refused sooner or later.
for shared in 0 64K 400K 2M; do
    kept 4 "synthetic:node:2 core:2" groups TOPOMPI_SHARED=$shared
    kept 4 "synthetic:node:2 core:2" bits TOPOMPI_SHARED=$shared
    kept 4 "synthetic:node:2 core:2" extremes TOPOMPI_SHARED=$shared
    kept 4 "synthetic:node:2 core:2" early TOPOMPI_SHARED=$shared
done
# By rules of the user's, which run ours from the first call on in which that waits for nobody.
rules=$(mktemp)
trap 'rm -f "$rules"' EXIT
for form in leader direct; do
    for operation in gather gatherv scatter scatterv; do echo "$operation $form"; done >"$rules"
    printf '%s leader\n' scan exscan >>"$rules"
    kept 4 "synthetic:node:2 core:2" early TOPOMPI_TUNING="$rules" TOPOMPI_GUARD=off
    kept 5 "synthetic:node:3 core:3,1,1 by:node" early TOPOMPI_TUNING="$rules" TOPOMPI_GUARD=off
done
# Enough for the buffers of long calls, then none for those of short ones.
for shared in 500K 1000K; do
    kept 5 "synthetic:node:2 core:3,2" bits TOPOMPI_SHARED=$shared
    kept 5 "synthetic:node:3 core:3,1,1 by:node" bits TOPOMPI_SHARED=$shared
    kept 5 "synthetic:node:2 core:3,2" extremes TOPOMPI_SHARED=$shared
done
for shared in 400K 1100K 1750K 1850K; do
    kept 4 "synthetic:node:2 core:2" in_place TOPOMPI_SHARED=$shared TOPOMPI_ALLREDUCE=leader
    kept 4 "synthetic:node:2 core:2" in_place TOPOMPI_SHARED=$shared TOPOMPI_ALLREDUCE=halving
done
finish
