# Fortran of each MPI that has it, mpif.h, `use mpi` and `use mpi_f08`: every call of tests/preload/binding.F90 is ours, or counted as
# passing, exactly once, whichever ways its library has from one to the other. The wheels of Open MPI and MPICH bring no Fortran.
. "$TOP_SRCDIR/tests/lib.sh"
MPIS=${MPIS_BY_PIP:-} library=$TOP_BUILDDIR/src/.libs/libtopompi.so source=$TOP_SRCDIR/tests/preload/binding.F90
. "$TOP_SRCDIR/tests/mpis/mpis.sh"
built "$library"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MPI_TIMEOUT=100

# once NAME OUTPUT: the report counts each operation as often as the text does.
once() {
    local wrong
    wrong=$(diff <(sed -nE '/others$/d; s/^ *call MPI_(All\w+|Ba\w+|Bc\w+|Red\w+|Scan|Exscan|Gatherv?|Scatterv?|I(all|bar)\w+)\(.*/\1/p' "$source" | sort | uniq -c) \
        <(awk '$2 ~ /^[a-z_]+$/ && $4 ~ /^[0-9]+$/ { sum[toupper(substr($2, 1, 1)) substr($2, 2)] += $4 }
            /not taken over: / { gsub(/[,:]|MPI_/, ""); for (i = 5; i < NF; i += 2) sum[$(i + 1)] += $i }
            END { for (name in sum) printf "%7d %s\n", sum[name], name }' <<<"$2" | sort -k 2))
    if [ -z "$wrong" ] && grep -q '^ok$' <<<"$2" && ! grep -E '^topompi: [a-z_]+ +[0-9]+ +[0-9]+ native ' <<<"$2"; then pass "$1"; else fail "$1" "$wrong $2"; fi
}

# fortran NAME CORE BINDING RUN COMPILER...: RUN starts an MPI's programs.
fortran() {
    local name="$1, $3" core=$2 run=$4 binding=$3 value
    local settings=(-x LD_PRELOAD="$library" -x TOPOMPI_STATS=on -x TOPOMPI_MACHINE="synthetic:node:2 core:2")
    shift 4
    command -v "$1" >/dev/null || { skip "$name" "no $1" && return; }
    [ -e "${library%/*}/libtopompi-core-$core.so" ] || { skip "$name" "this tree has no core for it" && return; }
    if ! "$@" -w -fallow-argument-mismatch "-D$binding" -J "$work" -o "$work/program" "$source" "${link[@]}" >"$work/log" 2>&1; then
        fail "$name" "$(tail -n 5 "$work/log")"
        return
    fi
    for value in "${named[@]}"; do settings+=(-x "$value"); done
    once "$name" "$($run "${settings[@]}" "$work/program" </dev/null)"
}
openmpi() { MPI_KIND=openmpi MPIRUN=mpirun.openmpi apart mpi 4 "$@"; }
mpich() { MPI_KIND=mpich MPIRUN=mpiexec.mpich apart mpi 4 "$@"; }
intel() { with_mpi impi-2021.16.0 apart mpi 4 "$@"; }
link=()
for binding in mpifh usempi f08; do
    fortran "Open MPI of Debian" ompi $binding openmpi mpifort.openmpi
    fortran "MPICH of Debian" mpich $binding mpich mpifort.mpich
done
intel=$MPIS/impi-2021.16.0 link=(-L"$MPIS/impi-2021.16.0/lib" -lmpifort -lmpi)
if [ -d "$intel" ]; then fortran "Intel's" mpich mpifh intel gfortran -I"$intel/include"; else skip "Intel's" "it is not in MPIS_BY_PIP"; fi
finish
