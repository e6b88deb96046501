# src/family/abi/mpi.h, our part of MPI 5's standard ABI, says what a whole header of that ABI says: constants, sizes, offsets,
# prototypes. MPICC_ABI: the compiler wrapper that has one, of MPICH 5 (mpicc_abi) or a later Open MPI.
. "$TOP_SRCDIR/tests/lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
header=$TOP_SRCDIR/src/family/abi/mpi.h mpicc=${MPICC_ABI:-mpicc_abi}
command -v "$mpicc" >/dev/null || { skip "the standard ABI" "no wrapper of an MPI 5 for its ABI (MPICC_ABI)"; finish; }

# A program that prints what HEADER has; it is compiled with ours and with theirs.
{
    printf '#include <stddef.h>\n#include <stdio.h>\n#include <mpi.h>\nint main(void)\n{\n'
    sed -nE 's/^#define (P?MPI_[A-Z0-9_]+) .*/    printf("\1 %lld\\n", (long long)(intptr_t)\1);/p' "$header" | grep -vE 'MPI_(SUB)?VERSION '
    sed -nE 's/^typedef .*[ *](MPI_[A-Z][a-z]+);$/\1/p; s/^\} (MPI_Status);$/\1/p' "$header" |
        sed 's/.*/    printf("& %zu %zu\\n", sizeof(&), _Alignof(&));/'
    echo '    printf("signed %d %d %d\n", (MPI_Aint)-1 < 0, (MPI_Offset)-1 < 0, (MPI_Count)-1 < 0);'
    for field in MPI_SOURCE MPI_TAG MPI_ERROR; do
        echo "    printf(\"$field %zu\\n\", offsetof(MPI_Status, $field));"
    done
    printf '    return 0;\n}\n'
} >"$work/values.c"
values() { # FOLDER OF HEADER: what ours says
    cc -o "$work/ours" -I"$1" -I"$TOP_SRCDIR/src" "$work/values.c" && "$work/ours"
}
values "${header%/*}" >"$work/ours.txt"
check "our header has constants and types" test "$(wc -l <"$work/ours.txt")" -gt 100
check "$mpicc knows all of them" "$mpicc" -o "$work/theirs" "$work/values.c"
"$work/theirs" >"$work/theirs.txt"
check "constants, sizes and offsets are the same" diff "$work/ours.txt" "$work/theirs.txt"

# Prototypes after those of a whole header: the compiler finds what differs.
prototypes() { # HEADER: ours, without types and constants
    printf '#include <mpi.h>\n#include "catalog/arguments.h"\n'
    sed -n '/^#define BOTH/,$p' "$1" | grep -v '^#endif'
}
compiles() { "$mpicc" -Werror -I"$TOP_SRCDIR/src" -c -o "$work/prototypes.o" "$work/prototypes.c"; }
prototypes "$header" >"$work/prototypes.c"
check "prototypes are the same" compiles

# What would be found.
mkdir "$work/wrong"
sed 's/(MPI_Op)0x24/(MPI_Op)0x25/; s/MPI_internal\[5\]/MPI_internal[4]/' "$header" >"$work/wrong/mpi.h"
values "$work/wrong" >"$work/wrong.txt"
check "a wrong constant and a short status are found" test "$(diff "$work/wrong.txt" "$work/theirs.txt" | grep -c '^>')" = 2
prototypes "$header" | sed 's/PMPI_Type_dup(MPI_Datatype/PMPI_Type_dup(MPI_Comm/' >"$work/prototypes.c"
check "a wrong prototype is found" eval '! compiles'
finish
