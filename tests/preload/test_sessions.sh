# Programs with sessions (docs/SEMANTICS.md, Start), with MPIs that have them: of the folder MPIS_BY_PIP, and Debian's MPICH.
. "$TOP_SRCDIR/tests/lib.sh"
# shellcheck disable=SC2034 # for mpis.sh
MPIS=${MPIS_BY_PIP:-/nowhere} library=$TOP_BUILDDIR/src/.libs/libtopompi.so
. "$TOP_SRCDIR/tests/mpis/mpis.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# runs NAME MODE PATTERN COMMAND...: it is right, and rank 0's report says so.
runs() {
    local name="$1, $2" pattern=$3 out
    out=$("${@:4}" mpi 2 -x LD_PRELOAD="$library" -x TOPOMPI_STATS=on -x TOPOMPI_ALLGATHER=leader \
        -x "TOPOMPI_MACHINE=synthetic:node:1 core:2" "$work/sessions" "$2" </dev/null 2>&1)
    if grep -q '^ok$' <<<"$out" && grep -qE "^topompi: $pattern" <<<"$out"; then pass "$name"; else fail "$name" "$out"; fi
}

# with NAME CORE WRAPPER COMMAND...: where the MPI library has them.
with() {
    local name=$1 core=$2
    [ -e "${library%/*}/libtopompi-core-$core.so" ] && "$3" -o "$work/sessions" "$TOP_SRCDIR/tests/preload/sessions.c" >/dev/null 2>&1 ||
        { skip "$name" "no MPI with sessions, or no core for it" && return; }
    runs "$name" alone '300 calls were native, as there was no MPI_COMM_WORLD' "${@:4}"
    runs "$name" beside 'allgather .* leader' "${@:4}"
    runs "$name" before '.* a session was there before MPI_Init' "${@:4}"
    [[ $core != mpich ]] || runs "$name" late 'rank 1 runs without TopoMPI' "${@:4}"
    # Open MPI 5.0.11 and MPICH 4.0.2 crash in MPI_Init then; MPICH 4.3.2 makes no types that can be used.
    [[ $name != mpich-* ]] || runs "$name" ended '(allreduce |.* MPI makes no type there)' "${@:4}"
}
with_debian() (
    # shellcheck disable=SC2034 # for mpi()
    MPI_KIND=mpich MPIRUN=mpiexec.mpich
    "$@"
)
with "MPICH of Debian" mpich mpicc.mpich with_debian
for mpi in openmpi-5.0.11 mpich-4.3.2 mpich-5.0.2; do
    with "$mpi" "$(awk -v mpi="$mpi" '$1 == mpi { print $3 }' <<<"$every_mpi")" "$MPIS/$mpi/bin/mpicc" with_mpi "$mpi"
done
finish
