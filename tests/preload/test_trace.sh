#!/bin/bash
# TOPOMPI_TRACE: every rank leaves a readable file, also when the program aborts; nothing without the variable.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
library=${TOP_BUILDDIR:-$PWD}/src/.libs/libtopompi.so
program=${TOP_BUILDDIR:-$PWD}/tests/preload/traced
built "$program" "$library"
starts() { [ "$(head -c 8 "$1")" = TOPOTRC1 ]; }

check "a traced run" env TOPOMPI_TRACE="$folder/whole" bash -c ". '$here/../lib.sh'; mpi 4 -x LD_PRELOAD='$library' -x TOPOMPI_TRACE '$program' >'$folder/said' 2>&1"
check "ends of intervals that were too deep to record end nothing else" bash -c "! grep interval_end '$folder/said'"
for r in 0 1 2 3; do check "file of rank $r" starts "$folder/whole/rank-00000$r.topotrace"; done
check "a normal end cuts the files" test "$(stat -c %s "$folder/whole/rank-000000.topotrace")" -lt 100000
env TOPOMPI_TRACE="$folder/abort" bash -c ". '$here/../lib.sh'; mpi 4 -x LD_PRELOAD='$library' -x TOPOMPI_TRACE '$program' abort" >/dev/null 2>&1
check "an aborted run leaves files" starts "$folder/abort/rank-000003.topotrace"
check "with the interval's name in them" grep -aq "main interval" "$folder/abort/rank-000003.topotrace"
env TOPOMPI=off TOPOMPI_TRACE="$folder/off" bash -c ". '$here/../lib.sh'; mpi 4 -x LD_PRELOAD='$library' -x TOPOMPI -x TOPOMPI_TRACE '$program'" >/dev/null 2>&1
check "with TOPOMPI=off the native calls" starts "$folder/off/rank-000003.topotrace"
env TOPOMPI_TRACE="$folder/fork" bash -c ". '$here/../lib.sh'; mpi 2 -x LD_PRELOAD='$library' -x TOPOMPI_TRACE '$program' fork '$folder/forked'" >/dev/null 2>&1
check "children were there" test -e "$folder/forked"
check "the intervals of their parents are in the traces" grep -aq "main interval" "$folder/fork/rank-000001.topotrace"
check "their own are not" bash -c "! grep -aq \"a child's interval\" '$folder/fork/'*.topotrace"
check "no variable, no trace" bash -c ". '$here/../lib.sh'; cd '$folder' && mpi 2 -x LD_PRELOAD='$library' '$program' && ! ls | grep -vx 'whole\|abort\|off\|fork\|forked\|said'"
out=$(env TOPOMPI_TRACE=/proc/none bash -c ". '$here/../lib.sh'; mpi 2 -x LD_PRELOAD='$library' -x TOPOMPI_TRACE '$program'" 2>&1)
check "a folder that cannot be made is told once" test "$(grep -c 'there is no trace' <<<"$out")" = 1
check "a file that may not be longer" env TOPOMPI_TRACE="$folder/long" bash -c \
    ". '$here/../lib.sh'; mpi 2 -x LD_PRELOAD='$library' -x TOPOMPI_TRACE '$program' long >'$folder/said' 2>&1"
check "is told by each rank" test "$(grep -c 'File too large; the trace ends here' "$folder/said")" = 2
check "is there up to then" starts "$folder/long/rank-000001.topotrace"
check "one rank alone" env TOPOMPI_TRACE="$folder/one" bash -c ". '$here/../lib.sh'; mpi 1 -x LD_PRELOAD='$library' -x TOPOMPI_TRACE '$program' && [ -s '$folder/one/rank-000000.topotrace' ]"

# What Fortran calls is in the trace once, by kind (messages: once a rank), and in the report.
once=$(printf '%s 1\n' allgather allreduce alltoallv barrier bcast)
predict=${TOP_BUILDDIR:-$PWD}/tools/topo-predict/topo-predict
kinds='"io": 0, "reduction": 2, "shadow": 2, "remote": 2, "redistribution": 1'
counted() {
    "$predict" "$folder/$1" -m "node:1 core:2" -f json | tr -d '\n' | tr -s ' ' |
        grep -q "\"name\": \"[^\"]*bin-$1+0x[0-9a-f]*\".*\"operations\": { *${kinds// / *} *}"
}
for module in mpi mpi_f08; do
    if ! command -v "${MPIFORT:=mpifort}" >/dev/null; then
        skip "Fortran, $module" "no mpifort (Debian: gfortran libopenmpi-dev)"
        continue
    fi
    sed "s/MPI_MODULE/$module/" "$here/traced.f90" >"$folder/$module.f90"
    check "Fortran, $module: builds" "$MPIFORT" -fallow-argument-mismatch -J "$folder" -o "$folder/bin-$module" "$folder/$module.f90"
    check "Fortran, $module: a traced run" env TOPOMPI_TRACE="$folder/$module" bash -c \
        ". '$here/../lib.sh'; mpi 2 -x LD_PRELOAD='$library' -x TOPOMPI_TRACE '$folder/bin-$module'"
    check "Fortran, $module: every call is counted once" counted "$module"
    out=$(bash -c ". '$here/../lib.sh'; mpi 2 -x LD_PRELOAD='$library' -x TOPOMPI_STATS=1 '$folder/bin-$module'" 2>&1)
    check "Fortran, $module: and once in the report" \
        test "$(awk '$1 == "topompi:" && $4 ~ /^[0-9]+$/ {print $2, $4}' <<<"$out" | sort)" = "$once"
done
finish
