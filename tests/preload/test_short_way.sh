# A call that stays native takes few instructions of the library's, whichever operation it is: here that is found out by
# turns (docs/GUARD.md), but for broadcasts and reductions, which are native by the rules. Times would be this host's.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so tool=$TOP_BUILDDIR/tests/preload/.libs/nothing_tool.so
program=$TOP_BUILDDIR/tests/preload/short_way
export MPI_TIMEOUT=100
BATCH=40 BATCHES=9 # of the program

countable "short way"
built "$library" "$tool" "$program"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Rank 0's instructions are counted, batch by batch: in one of them there may be another look at which is the fastest.
cat >"$folder/counted" <<'END'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ] || exec "$@"
exec valgrind --tool=callgrind --callgrind-out-file="$COUNTS" --toggle-collect=batched --dump-after=batched "$@" 2>/dev/null
END
chmod +x "$folder/counted"

# Of a call: the program's loop and the call of a function that does nothing are among them, 14 to 40. At most about one and a half
# times what they were on 2026-11-30 (x86-64, gcc 12 -O2): 78 to 275, the most with three counts given twice.
MOST=400
COUNTS=$folder/counts mpi 3 -x COUNTS -x LD_PRELOAD="$library:$tool" "$folder/counted" "$program" 3000 16 >"$folder/out" 2>&1
check "the library is at work" test -s "$folder/counts.1" -a -z "$(grep '^topompi:' "$folder/out")"
at=0
for operation in $(sed -n 's/^OPERATION(\([a-z_]*\),.*/\1/p' "$TOP_SRCDIR/src/catalog/operations.def"); do
    each=$(for ((i = at + 1; i <= at + BATCHES; i++)); do sed -n 's/^summary: \([1-9][0-9]*\)$/\1/p' "$folder/counts.$i"; done |
        sort -n | sed -n "$((BATCHES / 2 + 1))p")
    at=$((at + BATCHES))
    if [ -n "$each" ] && [ $((each / BATCH)) -le $MOST ]; then
        pass "$operation: $((each / BATCH)) instructions"
    else
        fail "$operation" "${each:+$((each / BATCH)) }instructions, at most $MOST are allowed: $(tail -n 3 "$folder/out")"
    fi
done
finish
