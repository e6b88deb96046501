# Tools of the profiling interface beside the library, before it, after it and linked in, on all ranks or on one: they see every
# call of the program, once, and ours runs.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
tool=$TOP_BUILDDIR/tests/preload/.libs/counting_tool.so
plain=$TOP_BUILDDIR/tests/preload/plain
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MPI_TIMEOUT=60

# counted N PRELOAD [NAME=VALUE]... PROGRAM [ARGUMENT]...: what the tool says of rank 0; nothing unless the program says ok.
counted() {
    local n=$1 settings=(-x LD_PRELOAD="$2") out
    shift 2
    while [[ $1 == *=* ]]; do settings+=(-x "$1"); shift; done
    out=$(apart mpi "$n" "${settings[@]}" "$@")
    if grep -q '^ok$' <<<"$out"; then grep '^counted:' <<<"$out"; else echo "$out"; fi
}

# sees NAME N [NAME=VALUE]... PROGRAM [ARGUMENT]...: the tool after the library sees what it sees without it.
sees() {
    local name=$1 n=$2 out all
    shift 2
    all=$(counted "$n" "$tool" "$@")
    out=$(counted "$n" "$library:$tool" "$@")
    if [ "$out" != "$all" ]; then
        fail "$name" "$out instead of $all"
    elif ! grep -qE '^counted:( [1-9][0-9]*){16}$' <<<"$out"; then
        fail "$name" "not all operations: $out"
    else
        pass "$name"
    fi
}

sees "a tool, switched off" 4 TOPOMPI=off "$plain"
cat > "$work/off" <<EOF
#!/bin/sh
[ \$OMPI_COMM_WORLD_RANK = 2 ] && export TOPOMPI=off
exec "$plain"
EOF
chmod +x "$work/off"
sees "a tool, switched off on another rank" 4 "$work/off"
sees "a tool, settings that cannot be used" 4 TOPOMPI_MACHINE=nonsense "$plain"
sees "a tool, one rank" 1 "$plain"

# A GPU's driver in one process: buffers may lie on the device, so no rank's calls are ours.
if cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$work/libcuda.so.1" -x c /dev/null; then
    cat > "$work/driver" <<EOF
#!/bin/sh
[ \$OMPI_COMM_WORLD_RANK = 2 ] && export LD_PRELOAD="\$LD_PRELOAD:$work/libcuda.so.1"
exec "$plain" 200
EOF
    chmod +x "$work/driver"
    sees "a driver of a device on another rank" 4 "$work/driver"
else
    skip "a driver of a device" "no C compiler"
fi
# What Open MPI 5 has where it was started with --with-ft ulfm.
if echo '_Bool ompi_ftmpi_enabled = 1;' | cc -shared -fPIC -o "$work/ulfm.so" -x c -; then
    out=$(mpi 4 -x LD_PRELOAD="$library:$work/ulfm.so" -x TOPOMPI_STATS=1 "$plain" 200 2>&1)
    if [ "$(grep -c 'survive the loss of ranks (ULFM)' <<<"$out")" = 1 ] && grep -q '^ok$' <<<"$out"; then
        pass "a job that survives the loss of ranks is native"
    else
        fail "a job that survives the loss of ranks is native" "$out"
    fi
fi
sees "a tool, few calls" 4 "TOPOMPI_MACHINE=synthetic:node:1 core:4" "$plain" 3 copy

# -- where tools stand, and calls by PMPI_ names --
ours=()
for setting in STATS=1 "MACHINE=synthetic:node:2 core:2" GUARD=off ALLGATHER=bruck_reorder ALLGATHERV=leader ALLREDUCE=leader ALLTOALL=node_aware \
    ALLTOALLV=node_aware BARRIER=leader BCAST=leader REDUCE=leader REDUCE_SCATTER=leader REDUCE_SCATTER_BLOCK=leader \
    GATHER=leader GATHERV=leader SCATTER=direct SCATTERV=leader SCAN=leader EXSCAN=leader; do
    ours+=(-x "TOPOMPI_$setting")
done

# beside NAME COUNTED PRELOAD PROGRAM [PRELOAD PROGRAM]: rank 0 with the first, three more with the second, or the same. They are right,
# all calls of rank 0 run ours, and its tool, if there is one, says COUNTED.
beside() {
    local name=$1 counted=$2 out
    out=$(apart mpi 1 -x "LD_PRELOAD=$3" "${ours[@]}" "$4" : -np 3 -x "LD_PRELOAD=${5-$3}" "${ours[@]}" "${6-$4}")
    if ! grep -q '^ok$' <<<"$out" || ! grep -qE 'total: ([0-9]+) calls, \1 of them by our' <<<"$out"; then
        fail "$name" "$out"
    elif [ "$(grep '^counted:' <<<"$out")" != "$counted" ]; then
        fail "$name" "$out, not '$counted'"
    else
        pass "$name"
    fi
}
all=$(counted 4 "$tool" "$plain")
profiled() { sed -E 's/\bMPI_([A-Z][a-z_]+)( ?\()/PMPI_\1\2/g' "$@"; }
beside "a tool before us" "$all" "$tool:$library" "$plain"
beside "a tool after us" "$all" "$library:$tool" "$plain"
beside "a tool before us on a rank alone" "$all" "$tool:$library" "$plain" "$library"
beside "a tool after us on a rank alone" "$all" "$library:$tool" "$plain" "$library"
beside "a tool before us on a rank, after us on others" "$all" "$tool:$library" "$plain" "$library:$tool"
read -ra flags <<<"$("$MPICC" --showme:compile) -I$TOP_SRCDIR/src"
read -ra libraries <<<"$("$MPICC" --showme:link)"
profiled "$TOP_SRCDIR/tests/preload/plain.c" > "$work/profiled.c"
if cc "${flags[@]}" -o "$work/linked" "$TOP_SRCDIR"/tests/preload/{plain,counting_tool}.c "${libraries[@]}" &&
    cc "${flags[@]}" -shared -fPIC -o "$work/libtool.so" "$TOP_SRCDIR/tests/preload/counting_tool.c" "${libraries[@]}" &&
    cc "${flags[@]}" -o "$work/needing" "$TOP_SRCDIR/tests/preload/plain.c" -Wl,--no-as-needed "$work/libtool.so" "${libraries[@]}" &&
    cc "${flags[@]}" -o "$work/profiled" "$work/profiled.c" "${libraries[@]}"; then
    beside "a tool linked in" "$all" "$library" "$work/linked"
    beside "a tool linked in on a rank alone" "$all" "$library" "$work/linked" "$library" "$plain"
    beside "a tool as a library of the program" "$all" "$library" "$work/needing"
    beside "PMPI_ calls" '' "$library" "$work/profiled"
    beside "PMPI_ calls of a rank alone" '' "$library" "$work/profiled" "$library" "$plain"
    beside "PMPI_ calls, a tool before us on the others" '' "$library" "$work/profiled" "$tool:$library" "$plain"
else
    fail "programs with tools" "do not compile"
fi
profiled "$TOP_SRCDIR/tests/preload/binding.F90" > "$work/profiled.F90"
for binding in mpifh usempi f08; do
    if [ -z "${MPIFORT:-}" ]; then
        skip "Fortran, $binding" "no mpifort (Debian: gfortran libopenmpi-dev)"
        continue
    fi
    fortran=(-fallow-argument-mismatch "-D$binding" -J "$work")
    if ! "$MPIFORT" "${fortran[@]}" -o "$work/$binding" "$TOP_SRCDIR/tests/preload/binding.F90" > "$work/log" 2>&1 ||
        ! "$MPIFORT" "${fortran[@]}" -o "$work/p$binding" "$work/profiled.F90" >> "$work/log" 2>&1; then
        skip "Fortran, $binding" "does not compile: $(tail -n 3 "$work/log" | tr '\n' ' ')"
        continue
    fi
    if [ $binding = mpifh ]; then # `use mpi` has the same names, and of those of mpi_f08 the tool has none
        all=$(counted 4 "$tool" "$work/$binding")
        check "Fortran, $binding, a tool alone" test -n "$all"
        beside "Fortran, $binding, a tool before us" "$all" "$tool:$library" "$work/$binding"
        beside "Fortran, $binding, a tool after us on a rank alone" "$all" "$library:$tool" "$work/$binding" "$library"
    fi
    beside "Fortran, $binding, PMPI_ calls of a rank alone" '' "$library" "$work/p$binding" "$library" "$work/$binding"
done

# MPI's own calls are none of the program's: those of ROMIO, of which a collective access of a file makes many.
cat > "$work/file.c" <<'EOF'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, back = -1;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    if (MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS) {
        MPI_File_write_at_all(file, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_read_at_all(file, 4 * rank, &back, 1, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
    }
    if (rank == 3)
        puts(back == rank ? "ok" : "wrong");
    return MPI_Finalize();
}
EOF
check "a program with a file" cc "${flags[@]}" -o "$work/file" "$work/file.c" "${libraries[@]}"
out=$(apart mpi 4 -x LD_PRELOAD="$library" "${ours[@]}" --mca io romio321 "$work/file" "$work/data")
if grep -q '^ok$' <<<"$out" && grep -q 'total: 3 calls, 3 of them by our' <<<"$out"; then pass "calls of ROMIO"; else fail "calls of ROMIO" "$out"; fi

# -- MPI_Pcontrol --
check "a program with MPI_Pcontrol" cc "${flags[@]}" -o "$work/controlled" "$TOP_SRCDIR/tests/preload/controlled.c" "${libraries[@]}"
check "a tool with it" cc "${flags[@]}" -DTOOL -shared -fPIC -o "$work/controlled.so" "$TOP_SRCDIR/tests/preload/controlled.c" "${libraries[@]}"
for switch in on off; do
    out=$(apart mpi 1 -x LD_PRELOAD="$library:$work/controlled.so" -x TOPOMPI=$switch "$work/controlled")
    if [ "$(grep . <<<"$out")" = whole ]; then pass "MPI_Pcontrol, $switch"; else fail "MPI_Pcontrol, $switch" "$out"; fi
done
finish
