# The core for MPI 5's standard ABI takes no Fortran procedures, as no library of that ABI has them yet. Where there is a wrapper MPICC_ABI (mpicc_abi of MPICH 5): programs that it compiles, by Hydra.
. "$TOP_SRCDIR/tests/lib.sh"
here=$TOP_SRCDIR/tests/preload library=$TOP_BUILDDIR/src/.libs/libtopompi.so core=$TOP_BUILDDIR/src/.libs/libtopompi-core-abi.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
built "$library" "$core"
check "it takes operations" grep -q ' T MPI_Allgather$' <(nm -D --defined-only "$core")
check "it takes no Fortran procedures" eval '! nm -D --defined-only "$core" | grep -E " p?mpi_[a-z_]+$"'

mpicc=$(command -v "${MPICC_ABI:-mpicc_abi}")
MPI_KIND=mpich MPIRUN=${mpicc%/*}/mpiexec MPI_YIELD='' MPI_TIMEOUT=100
[ -n "$mpicc" ] || { skip "programs of the standard ABI" "no wrapper of an MPI 5 for its ABI (MPICC_ABI)"; finish; }
preloaded() { # [NAME=VALUE]... PROGRAM...
    local settings=(-x LD_PRELOAD="$library" -x TOPOMPI_STATS=on)
    while [[ $1 == *=* ]]; do settings+=(-x "$1") && shift; done
    apart mpi 2 "${settings[@]}" "$@"
}
for program in plain threads endings; do
    check "$program compiles" "$mpicc" -O1 -D_GNU_SOURCE -o "$work/$program" "$here/$program.c" -ldl -lpthread
done
# ours NAME PROGRAM [ARGUMENT]... -- NAME=VALUE...: it is right, and no call of those is native.
ours() {
    local name=$1 words=() out row
    shift
    while [ "$1" != -- ]; do words+=("$1") && shift; done
    shift
    out=$(preloaded "$@" "${words[@]}")
    for row; do
        row=${row#TOPOMPI_}
        [[ $row == MACHINE=* ]] || grep -qiE "^topompi: ${row%%=*} .* ${row#*=} " <<<"$out" ||
            { fail "$name" "no ${row%%=*} by ${row#*=} in: $out" && return; }
    done
    if grep -q '^ok$' <<<"$out" && grep -q 'libtopompi-core-abi.so), MPICH ' <<<"$out"; then pass "$name"; else fail "$name" "$out"; fi
}
nodes=TOPOMPI_MACHINE=synthetic:node:2
short=(TOPOMPI_ALLGATHER=bruck_reorder TOPOMPI_BARRIER=leader TOPOMPI_BCAST=leader TOPOMPI_REDUCE=leader TOPOMPI_ALLGATHERV=leader
    TOPOMPI_ALLTOALL=node_aware TOPOMPI_REDUCE_SCATTER=leader TOPOMPI_REDUCE_SCATTER_BLOCK=lanes TOPOMPI_ALLTOALLV=node_aware)
ours "every operation in node-shared memory" "$work/plain" -- "${short[@]}"
ours "every operation between nodes" "$work/plain" -- "$nodes" TOPOMPI_ALLREDUCE=leader "${short[@]}"
ours "by itself" "$work/plain" 20 --
ours "threads" "$work/threads" 4 -- "$nodes" TOPOMPI_ALLGATHER=leader TOPOMPI_ALLREDUCE=leader
# MPICH's native library beside it, opened for all and for itself alone, before and after ours.
other=$(ls "${mpicc%/*}"/../lib/libmpi.so.12 2>/dev/null)
if [ -n "$other" ]; then
    for flags in RTLD_LOCAL RTLD_GLOBAL; do
        printf '#include <dlfcn.h>\n#include <stdlib.h>\n__attribute__((constructor)) static void load(void)\n{\n%s\n}\n' \
            "if (getenv(\"PMI_RANK\") && !dlopen(\"$other\", RTLD_NOW | $flags)) abort();" >"$work/other.c"
        cc -shared -fPIC -o "$work/other-$flags.so" "$work/other.c"
        for library in "$library:$work/other-$flags.so" "$work/other-$flags.so:$library"; do
            ours "libmpi.so.12 beside it, $flags" "$work/plain" -- TOPOMPI_ALLGATHER=ring
        done
        library=$TOP_BUILDDIR/src/.libs/libtopompi.so
    done
else
    skip "libmpi.so.12 beside it" "it is not there"
fi
for ending in callback own finalize; do ours "endings, $ending" "$work/endings" $ending -- TOPOMPI_ALLREDUCE=leader; done
finish
