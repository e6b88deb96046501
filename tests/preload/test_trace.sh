#!/bin/bash
# TOPOMPI_TRACE: every rank leaves a readable file, also when the program aborts; nothing without the variable.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
library=${TOP_BUILDDIR:-$PWD}/src/.libs/libtopompi.so
program=${TOP_BUILDDIR:-$PWD}/tests/preload/traced
[ -x "$program" ] && [ -e "$library" ] || { skip "trace" "tests/preload/traced and the library are not built here"; finish; }
starts() { [ "$(head -c 8 "$1")" = TOPOTRC1 ]; }

check "a traced run" env TOPOMPI_TRACE="$folder/whole" bash -c ". '$here/../lib.sh'; mpi 4 -x LD_PRELOAD='$library' -x TOPOMPI_TRACE '$program'"
for r in 0 1 2 3; do check "file of rank $r" starts "$folder/whole/rank-00000$r.topotrace"; done
check "a normal end cuts the files" test "$(stat -c %s "$folder/whole/rank-000000.topotrace")" -lt 100000
env TOPOMPI_TRACE="$folder/abort" bash -c ". '$here/../lib.sh'; mpi 4 -x LD_PRELOAD='$library' -x TOPOMPI_TRACE '$program' abort" >/dev/null 2>&1
check "an aborted run leaves files" starts "$folder/abort/rank-000003.topotrace"
check "with the interval's name in them" grep -aq "main interval" "$folder/abort/rank-000003.topotrace"
check "no variable, no trace" bash -c ". '$here/../lib.sh'; cd '$folder' && mpi 2 -x LD_PRELOAD='$library' '$program' && ! ls | grep -vx 'whole\|abort'"
out=$(env TOPOMPI_TRACE=/proc/none bash -c ". '$here/../lib.sh'; mpi 2 -x LD_PRELOAD='$library' -x TOPOMPI_TRACE '$program'" 2>&1)
check "a folder that cannot be made is told once" test "$(grep -c 'there is no trace' <<<"$out")" = 1
check "one rank alone" env TOPOMPI_TRACE="$folder/one" bash -c ". '$here/../lib.sh'; mpi 1 -x LD_PRELOAD='$library' -x TOPOMPI_TRACE '$program' && [ -s '$folder/one/rank-000000.topotrace' ]"
finish
