# README.md and the pages of docs/howto name variables that there are, operations that are taken over, and tests that exist.
. "$TOP_SRCDIR/tests/lib.sh"
cd "$TOP_SRCDIR" || exit 1

# env.example (checked against the tables by test_generated.sh) has the lines #NAME=default.
options=$(sed -nE 's/^#(TOPOMPI[A-Z_]*)=.*/\1/p' env.example)
[ -n "$options" ] || fail "env.example" "names no variable"
for page in README.md docs/TUTORIAL.md docs/howto/*.md; do
    wrong=$(grep -oE '\bTOPOMPI(_[A-Z]+)*\b' "$page" | sort -u | grep -vxF "$options" | paste -sd ' ')
    if [ -z "$wrong" ]; then pass "variables of $page"; else fail "variables of $page" "there are not: $wrong"; fi
done

# Each operation that is taken over, and no other, is in the list of README.md.
operations=$(sed -nE 's/^OPERATION\([a-z_]+, ([A-Za-z_]+), .*/MPI_\1/p' src/catalog/operations.def | sort)
listed=$(sed -n '/^It takes over/,/^$/p' README.md | grep -oE 'MPI_[A-Za-z_]+' | sort)
if [ "$operations" = "$listed" ]; then
    pass "the operations"
else
    fail "the operations" "$(diff <(echo "$operations") <(echo "$listed"))"
fi

# Each MPI that works has a test in its row.
rows=0
while IFS='|' read -r _ mpi _ _ tests _; do
    [[ $mpi != ' MPI '* && $mpi != ---* ]] || continue
    rows=$((rows + 1)) found=''
    for name in $(grep -oE '`[a-z_/.]+`' <<<"$tests" | tr -d '`'); do
        found=$(find tests -path "*/${name#tests/}" | head -n 1)
        [ -n "$found" ] || break
    done
    if [ -n "$found" ]; then pass "tests of$mpi"; else fail "tests of$mpi" "${name:-none} is not there"; fi
done < <(grep '^|' docs/howto/mpis.md)
[ $rows -ge 5 ] || fail "docs/howto/mpis.md" "$rows rows"
finish
