# One libtopompi.so serves programs of each family of MPI libraries that it has a core for, opened privately too; where it has
# none, the program runs natively and one line says so.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
here=$TOP_SRCDIR/tests/preload
loader=$TOP_BUILDDIR/tests/preload/loader
plain=$TOP_BUILDDIR/tests/preload/plain
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MPI_TIMEOUT=60

# says NAME OUTPUT LINES PATTERN: the program is right; the library says that many lines, each like the pattern.
says() {
    local said
    said=$(grep '^topompi:' <<<"$2")
    if grep -q '^ok$' <<<"$2" && [ "$(grep -c . <<<"$said")" = "$3" ] && [ "$(grep -cE -- "$4" <<<"$said")" = "$3" ]; then
        pass "$1"
    else
        fail "$1" "$2"
    fi
}

# says_native NAME OUTPUT LIBRARY HERE: the line on an MPI library that has no core; which ones there are.
says_native() {
    says "$1" "$2" 1 "the MPI library of this program is $3; of the cores that TopoMPI has here, $4, none is for it; the job runs"
}

# active NAME OUTPUT: the program is right, and ours ran.
active() {
    if grep -q '^ok$' <<<"$2" && grep -q 'allgather .* ring ' <<<"$2"; then pass "$1"; else fail "$1" "$2"; fi
}

# ours N PRELOAD PROGRAM...
ours() {
    local n=$1 preload=$2
    shift 2
    apart mpi "$n" -x LD_PRELOAD="$preload" -x TOPOMPI_STATS=1 -x TOPOMPI_ALLGATHER=ring "$@"
}

# -- what a core needs: no MPI library, nor PMIx, by name --
cores=()
for file in "${library%/*}"/libtopompi-core-*.so; do
    cores+=("${file##*/}")
    needs=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' | grep -E 'mpi|open-|opal')
    named=$(nm -D --undefined-only "$file" | awk '{print $2}' | grep -iE '^p?mpi_|^ompi_|^opal_')
    if [ -z "$needs$named" ]; then pass "${file##*/} looks MPI up"; else fail "${file##*/} looks MPI up" "needs $needs $named"; fi
done

# -- where the library and its core are --
mapped=$(LD_PRELOAD=$library cat /proc/self/maps)
if [[ $mapped == *libtopompi.so* && $mapped != *libmpi* && $mapped != *libtopompi-core* ]]; then
    pass "other programs get no MPI library"
else
    fail "other programs get no MPI library" "$mapped"
fi
# Helpers that a job starts may have another C library, musl's in a container: they have to start.
needs=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' | grep -v '^libc\.')
glibcs=$(nm -D --undefined-only "$library" | awk '{print $2}' | grep '^__' | grep -vE '^__(cxa_finalize|gmon_start__|stack_chk_fail|[a-z]*san_.*)(@|$)')
if [ -z "$needs$glibcs" ]; then pass "any C library will do"; else fail "any C library will do" "needs $needs $glibcs"; fi
if ! command -v musl-gcc > /dev/null; then
    skip "a program with another C library" "no musl-gcc (Debian: musl-tools)"
else
    echo 'int puts(const char *); int main(void) { return puts("started") < 0; }' > "$work/helper.c"
    check "a program with another C library" musl-gcc -o "$work/helper" "$work/helper.c"
    out=$(LD_PRELOAD=$library "$work/helper" 2>&1)
    if [ "$out" = started ]; then pass "another C library: the program starts"; else fail "another C library: the program starts" "$out"; fi
fi
read -ra flags <<<"$("$MPICC" --showme:compile) $("$MPICC" --showme:link)"
check "a shared object of Open MPI" cc -shared -fPIC -Dmain=loaded_main -o "$work/own.so" "$here/plain.c" "${flags[@]}"
active "Open MPI opened privately" "$(ours 3 "$library" "$loader" "$work/own.so")"
active "a relative path to the library" \
    "$(cd "$TOP_BUILDDIR" && ours 3 ./src/.libs/libtopompi.so "$loader" "$work/own.so")"
for binding in mpifh usempi f08; do
    name="Open MPI opened privately, Fortran $binding"
    if [ -z "${MPIFORT:-}" ]; then
        skip "$name" "no mpifort (Debian: gfortran libopenmpi-dev)"
    elif ! "$MPIFORT" -fallow-argument-mismatch -shared -fPIC -Wl,--defsym,loaded_main=main "-D$binding" -J "$work" \
        -o "$work/$binding.so" "$here/binding.F90" > "$work/log" 2>&1; then
        skip "$name" "does not compile: $(tail -n 3 "$work/log" | tr '\n' ' ')"
    else
        active "$name" "$(ours 3 "$library" "$loader" "$work/$binding.so")"
    fi
done
if unshare --mount mount -t tmpfs none /proc 2> /dev/null; then
    printf '#!/bin/sh\nmount -t tmpfs none /proc && exec "$@"\n' > "$work/without_proc" && chmod +x "$work/without_proc"
    active "without /proc" "$(ours 3 "$library" unshare --mount "$work/without_proc" "$plain")"
else
    skip "without /proc" "needs root and a mount namespace"
fi
ln -s "$library" "$work/link.so"
active "a link to the library" "$(ours 3 "$work/link.so" "$plain")"
active "symbols bound at the start" "$(ours 3 "$library" env LD_BIND_NOW=1 "$plain")"
mkdir "$work/alone" "$work/mixed"
cp "$library" "$work/alone"
says_native "the library without its core" "$(ours 3 "$work/alone/libtopompi.so" "$plain")" \
    'libmpi\.so[.0-9]* \(Open MPI v[0-9.a-z]*\)' none
version=$(sed -n 's/^#define TOPOMPI_VERSION "\(.*\)"/\1/p' "$TOP_SRCDIR/include/topompi.h")
LC_ALL=C sed "s/${version//./\\.}/${version%?}~/g" "$(dirname "$library")/$core" > "$work/mixed/$core"
cp "$library" "$work/mixed"
says "a core of another version" "$(ours 3 "$work/mixed/libtopompi.so" "$plain")" 1 'are of two versions; the job runs natively$'

# -- MPI libraries that are not known --
# fake WORDS [STATEMENT]...: a library that says so of itself, with what MPI_Init needs.
fake() {
    printf '%s\n' '#include <string.h>' 'int PMPI_Init(int *c, char ***v) { return (void)c, (void)v, 0; }' \
        'int MPI_Init(int *c, char ***v) { return PMPI_Init(c, v); }' 'int MPI_Finalize(void) { return 0; }' \
        "int PMPI_Get_library_version(char *t, int *l) { strcpy(t, \"$1\"); return *l = strlen(t), 0; }" "${@:2}" > "$work/fake.c"
    cc -shared -fPIC -Wl,-soname,libfake.so -o "$work/libfake.so" "$work/fake.c"
}
printf '#include <stdio.h>\nint MPI_Init(int *, char ***), MPI_Finalize(void);\n%s\n' \
    'int main(void) { if (!MPI_Init(NULL, NULL) && !MPI_Finalize()) puts("ok"); return 0; }' > "$work/small.c"
small() { LD_PRELOAD=$library LD_LIBRARY_PATH=$work "$work/small" 2>&1; }
all=$(paste -sd '|' <(printf '%s\n' "${cores[@]}") | sed 's/|/, /g')
fake 'Fake MPI 1.0, of nobody'
check "a program of an unknown MPI" cc -o "$work/small" "$work/small.c" -L"$work" -lfake
says_native "an unknown MPI" "$(small)" 'libfake\.so \(Fake MPI 1\.0\)' "$all"
fake "$(printf '%8000s' x)"
says_native "one that says much" "$(small)" 'libfake\.so \( *\)' "$all"
fake 'Fake MPI' 'int PMPI_Abi_get_version(int *a, int *b) { return *a = *b = -1, 0; }'
says_native "one without the standard ABI" "$(small)" 'libfake\.so \(Fake MPI\)' "$all"
fake 'MPICH Version:\t9.0\nOpen MPI'
case $all in
*mpich*) says "one that lacks functions" "$(small)" 1 'MPI library of this program, libfake.so \(MPICH Version:.9.0\), lacks PMPI_[A-Z][a-z]*; the job runs natively$' ;;
*) says_native "one that there is no core for" "$(small)" 'libfake\.so \(MPICH Version:.9.0\)' "$all" ;;
esac

# -- MPICH, by the same library --
if ! command -v mpicc.mpich mpiexec.mpich > /dev/null; then
    skip "MPICH" "not here (Debian: mpich libmpich-dev)"
    finish
fi
if [ ! -e "${library%/*}/libtopompi-core-mpich.so" ]; then
    skip "MPICH" "this tree has no core for it"
    finish
fi

# theirs PRELOAD [NAME=VALUE]... PROGRAM...: four ranks.
theirs() {
    local settings=(-genv LD_PRELOAD "$1") MPI_KIND=mpich
    shift
    while [[ $1 == *=* ]]; do settings+=(-genv "${1%%=*}" "${1#*=}"); shift; done
    apart timeout -k 10 "$MPI_TIMEOUT" mpiexec.mpich "${settings[@]}" -n 4 "$@"
}
# loaded PROGRAM...: with ours.
loaded() { theirs "$library$yield" TOPOMPI_STATS=1 TOPOMPI_ALLGATHER=ring "$@"; }
yield=''
check "a shared object of MPICH" mpicc.mpich -shared -fPIC -Dmain=loaded_main -o "$work/theirs.so" "$here/plain.c"
active "MPICH opened privately" "$(loaded "$loader" "$work/theirs.so")"
check "ranks of MPICH yield" cc -shared -fPIC -o "$work/yield.so" "$TOP_SRCDIR/tests/yield.c" -ldl && yield=:$work/yield.so
check "a program of MPICH" mpicc.mpich -o "$work/plain" "$here/plain.c"
active "MPICH, C" "$(loaded "$work/plain")"
says "MPICH, switched off" "$(theirs "$library" TOPOMPI=off "$work/plain")" 0 topompi
for binding in mpifh usempi f08; do
    if ! mpifort.mpich -fallow-argument-mismatch "-D$binding" -J "$work" -o "$work/$binding" "$here/binding.F90" > "$work/log" 2>&1; then
        skip "MPICH, Fortran $binding" "does not compile: $(tail -n 3 "$work/log" | tr '\n' ' ')"
    else
        active "MPICH, Fortran $binding" "$(loaded "$work/$binding")"
    fi
done

# -- and without its core --
rm "$work"/alone/*
cp "$library" "${library%/*}/$core" "$work/alone"
alone=$work/alone/libtopompi.so
says_foreign() { says_native "$1" "$2" 'libmpi(ch)?\.so[.0-9]* \(MPICH Version:\s*[0-9.a-z]*\)' "$core"; }
if [ "$core" = libtopompi-core-ompi.so ]; then
    says_foreign "no core, C" "$(theirs "$alone" TOPOMPI_STATS=1 TOPOMPI_ALLGATHER=brick "$work/plain" 200)"
    check "a traced program of MPICH" mpicc.mpich -o "$work/traced" "$here/traced.c"
    theirs "$alone" TOPOMPI_TRACE="$work/trace" "$work/traced" > "$work/out"
    check "no core, messages and intervals" test $? = 0 -a ! -e "$work/trace" -a "$(grep -c 'none is for it' "$work/out")" = 1
    says_foreign "no core, opened privately" "$(theirs "$alone" "$loader" "$work/theirs.so")"
    check "a tool of MPICH" mpicc.mpich -shared -fPIC -I "$TOP_SRCDIR/src" -o "$work/tool.so" "$here/counting_tool.c"
    all=$(theirs "$work/tool.so" "$work/plain" | grep '^counted:')
    seen=$(theirs "$alone:$work/tool.so" "$work/plain" | grep '^counted:')
    check "no core, a tool after the library sees all" test -n "$all" -a "$seen" = "$all"
fi
finish
