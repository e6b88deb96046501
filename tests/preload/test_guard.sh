# Native and ours take turns in a program's calls (docs/GUARD.md): results stay right, and what was found is told.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
program=$TOP_BUILDDIR/tests/preload/guard
rules=$(mktemp)
trap 'rm -f "$rules"' EXIT
# Rules that are wrong more often than not.
cat >"$rules" <<'END'
allgather bytes=0-2K ring
allgather bytes=2K- bruck
allreduce bytes=0-1K cyclic
alltoallv drc
bcast chain
END

# job N MACHINE [NAME=VALUE]...: $out is what the job of N ranks said.
job() {
    local n=$1 machine=$2 settings=()
    shift 2
    for setting in "$@"; do settings+=(-x "$setting"); done
    out=$(apart mpi "$n" -x LD_PRELOAD="$library" -x TOPOMPI_MACHINE="$machine" -x TOPOMPI_VERBOSE=1 "${settings[@]}" "$program" check 2>&1)
}

for where in "2 auto" "4 synthetic:node:2 core:2" "5 synthetic:node:3 core:3,1,1 by:node"; do
    for setting in TOPOMPI_TUNING= "TOPOMPI_TUNING=$rules"; do
        job ${where%% *} "${where#* }" "$setting"
        case $out in
        *"as measured in the calls"*) pass "$where ${setting:+with }$(basename "${setting#*=}"): turns were taken" ;;
        *) fail "$where $setting: turns were taken" "$out" ;;
        esac
        printf '%s\n' "$out" | grep -q '^ok$' && pass "$where $(basename "${setting#*=}"): results" || fail "$where $setting: results" "$out"
    done
done
job 4 "synthetic:node:2 core:2" TOPOMPI_GUARD=off
case $out in
*"as measured"*) fail "off: no turns" "$out" ;;
*ok*) pass "off: no turns" ;;
*) fail "off: results" "$out" ;;
esac
# Of sums whose bits depend on the form only forms of ours with the same bits take turns, also where some cannot have memory;
# with little of it none has.
for shared in "" 1M 300K; do
    out=$(apart mpi 5 -x LD_PRELOAD="$library" -x TOPOMPI_MACHINE="synthetic:node:3 core:2,2,1" -x TOPOMPI_VERBOSE=1 \
        ${shared:+-x TOPOMPI_SHARED=$shared} "$program" sums 2>&1)
    printf '%s\n' "$out" | grep -q '^ok$' && pass "sums that round, memory ${shared:-as usual}: their bits" ||
        fail "sums that round, memory ${shared:-as usual}: their bits" "$out"
    found=$(printf '%s\n' "$out" | grep "as measured in the calls")
    [ "$shared" = 300K ] && continue
    [[ $found == *"leader "*" us"* && $found != *native* ]] && pass "sums that round, memory ${shared:-as usual}: ours take turns" ||
        fail "sums that round, memory ${shared:-as usual}: ours take turns" "$out"
done
# Two operands have one sum.
out=$(apart mpi 2 -x LD_PRELOAD="$library" -x TOPOMPI_VERBOSE=1 "$program" sums 2>&1)
[[ $out == *"as measured in the calls: native "* && $'\n'$out$'\n' == *$'\nok\n'* ]] && pass "sums of two ranks: native takes turns, their bits" ||
    fail "sums of two ranks: native takes turns, their bits" "$out"
# Which ranks remember a call is their own matter, and what runs is not. Nobody must hear of calls here.
echo 'allgather ring' >"$rules"
tool=$TOP_BUILDDIR/tests/preload/.libs/turns_tool.so
out=$(apart mpi 4 -x LD_PRELOAD="$library:$tool" -x TOPOMPI_MACHINE="synthetic:node:2 core:2" -x TOPOMPI_TUNING="$rules" \
    "$TOP_BUILDDIR/tests/preload/turns" 2>&1)
case $out in
*"ok: "*" and 6000 of "*) fail "the faster one changes: seen" "$out" ;;
*"ok: "*) pass "the faster one changes, ranks with types of their own: ${out#*ok: }" ;;
*) fail "the faster one changes, ranks with types of their own" "$out" ;;
esac
# Calls that go without what the guard needs are remembered as long as they do.
for where in "6 synthetic:node:3 core:2" "4 synthetic:node:2 core:2" "5 synthetic:node:3 core:3,1,1 by:node"; do
    out=$(apart mpi "${where%% *}" -x LD_PRELOAD="$library" -x TOPOMPI_MACHINE="${where#* }" "$TOP_BUILDDIR/tests/preload/awaits" 2>&1)
    [ "$out" = ok ] && pass "$where: bcast and reduce alone, then others, ranks with types of their own" ||
        fail "$where: bcast and reduce alone, then others, ranks with types of their own" "$out"
done
# A call of which a form tells the ranks its size, or that it has no memory, was chosen without that; the next one is not.
cat >"$rules" <<'END'
alltoallv bytes=0-64 node_aware
alltoallv bytes=64-1K direct
alltoallv bytes=1K- node_aware
END
for setting in TOPOMPI_GUARD=off TOPOMPI_GUARD=on TOPOMPI_SHARED=64K TOPOMPI_SHARED=16K; do
    out=$(MPI_TIMEOUT=60 apart mpi 4 -x LD_PRELOAD="$library" -x TOPOMPI_MACHINE="synthetic:node:2 core:2" -x TOPOMPI_TUNING="$rules" \
        -x "$setting" "$TOP_BUILDDIR/tests/preload/vectors" 2>&1)
    [ "$out" = ok ] && pass "$setting: sizes vary, ranks with types of their own" ||
        fail "$setting: sizes vary, ranks with types of their own" "$out"
done
finish
