# The library with the MPIs that people get by pip, in the folder that MPIS_BY_PIP names (tests/mpis/install; tests/run sets both up).
# On each, four ranks call every operation on communicators of each constructor, and every result is compared with that of MPI's own
# function (calls.c): by itself and by algorithms that are named. Rank 0's report has each call, once.
. "$TOP_SRCDIR/tests/lib.sh"
MPIS=${MPIS_BY_PIP:-} here=$TOP_SRCDIR/tests/mpis library=$TOP_BUILDDIR/src/.libs/libtopompi.so
. "$here/mpis.sh"
. "$TOP_SRCDIR/tests/preload/passed.sh"
[ -n "$MPIS" ] || { skip "the MPIs of pip" "MPIS_BY_PIP names no folder of tests/mpis/install" && finish; }
built "$library"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MPI_TIMEOUT=200

# rows OPERATION: rank 0's in the report.
rows() { sed '/"not_taken_over"/q' "$work/report.json" | grep -F "{\"operation\": \"$1\","; }

# reported OPERATION: the calls in them.
reported() { rows "$1" | grep -oE '"bytes_at_most": [0-9]+, "calls": [0-9]+' | awk '{ calls += $4 } END { print calls + 0 }'; }

# right NAME MPI CORE PROGRAM WORDS -- [NAME=VALUE]...: results as MPI's own, each call reported once, by that core; some are by forms
# of ours, with settings some of each operation.
right() {
    local name=$1 mpi=$2 core=$3 program=$4 words=() settings=() out operation calls
    shift 4
    while [ "$1" != -- ]; do words+=("$1") && shift; done
    shift
    for value; do settings+=(-x "$value"); done
    rm -f "$work/report.json"
    out=$(with_mpi "$mpi" apart mpi 4 -x LD_PRELOAD="$library" -x TOPOMPI_STATS="$work/report.json" \
        -x TOPOMPI_MACHINE="synthetic:node:2 core:2" "${settings[@]}" "$program" "${words[@]}" </dev/null)
    grep -q '^ok$' <<<"$out" || { fail "$name" "$(tail -n 20 <<<"$out")" && return; }
    grep -q "libtopompi-core-$core.so)" "$work/report.json" ||
        { fail "$name" "not by the core for $core: $(grep libraries "$work/report.json") $(grep '^topompi' <<<"$out" | head -n 3)" && return; }
    grep -qE '"total": \{"calls": [0-9]+, "ours": [1-9]' "$work/report.json" || { fail "$name" "nothing by a form of ours" && return; }
    while read -r _ operation calls; do
        [ "$(reported "$operation")" = "$calls" ] ||
            { fail "$name" "$calls calls of $operation, $(reported "$operation") in the report" && return; }
        [ $# -eq 0 ] || rows "$operation" | grep -q '"ours": true' ||
            { fail "$name" "$operation never by a form of ours" && return; }
    done < <(grep '^calls ' <<<"$out")
    pass "$name"
}

# passed NAME MPI PROGRAM: what is not taken over is in the report by each name that the program called.
passed() {
    with_mpi "$2" mpi 4 -x LD_PRELOAD="$library" -x TOPOMPI_STATS=on "$3" >"$work/out" 2>"$work/error" </dev/null
    check "$1" passed_as_called "$work/error" "$work/out"
}

# python MPI CORE: mpi4py, whose one build takes the MPI that it finds, and its calls with large counts where they are: each of the
# operations by a form of ours.
python() {
    local name="$1, mpi4py" out operation settings=() value
    [ -x "$MPIS/mpi4py-4.1.2/bin/python" ] || { skip "$name" "mpi4py-4.1.2 is not in $MPIS" && return; }
    for value in "${named[@]}"; do settings+=(-x "$value"); done
    out=$(with_mpi "$1" apart mpi 4 -x LD_PRELOAD="$library" -x TOPOMPI_STATS=on -x TOPOMPI_MACHINE="synthetic:node:2 core:2" \
        "${settings[@]}" "$MPIS/mpi4py-4.1.2/bin/python" "$TOP_SRCDIR/tests/preload/binding_python.py" </dev/null)
    grep -q '^ok$' <<<"$out" && grep -q "libtopompi-core-$2.so)" <<<"$out" || { fail "$name" "$(tail -n 20 <<<"$out")" && return; }
    for operation in allgather barrier bcast reduce allgatherv alltoall reduce_scatter reduce_scatter_block; do
        grep -E "^topompi: $operation " <<<"$out" | grep -qv ' native ' || { fail "$name" "no $operation of ours: $out" && return; }
    done
    pass "$name"
}

# What configure found; the standard ABI's core needs nothing of it.
built_for=$(sed -n 's/^MPI_BUILT = //p' "$TOP_BUILDDIR/Makefile")
declare -A core_of=([ompi]="Open MPI" [mpich]=MPICH [abi]=)
while read -r mpi kind core wrapper; do
    [ -n "$mpi" ] || continue
    if [ ! -d "$MPIS/${mpi%-abi}" ] || [ ! -x "$MPIS/$wrapper" ]; then
        skip "$mpi" "it is not in $MPIS"
        continue
    fi
    if [ ! -e "${library%/*}/libtopompi-core-$core.so" ]; then
        if [[ $built_for == *${core_of[$core]}* ]]; then fail "$mpi" "libtopompi-core-$core.so is missing"; else skip "$mpi" "this tree has no core for it"; fi
        continue
    fi
    program=$work/calls-${wrapper//\//-} passing=$work/passed-${wrapper//\//-}
    for source in "$program $here/calls.c" "$passing $TOP_SRCDIR/tests/preload/passed.c"; do
        [ -e "${source% *}" ] || check "a program by $wrapper" "$MPIS/$wrapper" -D_GNU_SOURCE -std=gnu11 -O1 -I"$TOP_SRCDIR/src" \
            -I"$TOP_SRCDIR/tools" -o "${source% *}" "${source#* }" -ldl
    done
    # MPICH of pip checks no arguments.
    mistakes=()
    [ "$kind" = mpich ] || mistakes=(mistakes)
    right "$mpi, by itself" "$mpi" "$core" "$program" "${mistakes[@]}" --
    passed "$mpi, not taken over" "$mpi" "$passing"
    right "$mpi, by name" "$mpi" "$core" "$program" -- "${named[@]}"
    right "$mpi, by name, without shared memory" "$mpi" "$core" "$program" -- "${named[@]}" TOPOMPI_SHARED=0
    # Open MPI to 5 has no such calls.
    [ "$kind" = openmpi ] || right "$mpi, large counts" "$mpi" "$core" "$program" large -- "${named[@]}"
    [ "$core" = abi ] || python "$mpi" "$core" # mpi4py's build has no part for it
done <<<"$every_mpi"
finish
