# The library finds the program's MPI: Open MPI, opened privately too; another one, MPICH, whose programs it leaves alone.
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
says "the library without its core" "$(ours 3 "$work/alone/libtopompi.so" "$plain")" 1 \
    'alone/libtopompi-core.so: .*; the job runs natively$'
version=$(sed -n 's/^#define TOPOMPI_VERSION "\(.*\)"/\1/p' "$TOP_SRCDIR/include/topompi.h")
LC_ALL=C sed "s/${version//./\\.}/${version%?}~/g" "${library%.so}-core.so" > "$work/mixed/libtopompi-core.so"
cp "$library" "$work/mixed"
says "a core of another version" "$(ours 3 "$work/mixed/libtopompi.so" "$plain")" 1 'are of two versions; the job runs natively$'

# -- MPICH --
if ! command -v mpicc.mpich mpiexec.mpich > /dev/null; then
    skip "MPICH" "not here (Debian: mpich libmpich-dev)"
    finish
fi

# theirs PRELOAD [NAME=VALUE]... PROGRAM...: four ranks.
theirs() {
    local settings=(-genv LD_PRELOAD "$1")
    shift
    while [[ $1 == *=* ]]; do settings+=(-genv "${1%%=*}" "${1#*=}"); shift; done
    apart timeout -k 10 "$MPI_TIMEOUT" mpiexec.mpich "${settings[@]}" -n 4 "$@"
}
foreign='the MPI library of this program is libmpich\.so[.0-9]*, not the Open MPI'

check "a program of MPICH" mpicc.mpich -o "$work/plain" "$here/plain.c"
says "MPICH, C" "$(theirs "$library" TOPOMPI_STATS=1 TOPOMPI_ALLGATHER=brick "$work/plain" 200)" 1 "$foreign"
says "MPICH, switched off" "$(theirs "$library" TOPOMPI=off "$work/plain")" 0 topompi
check "a traced program of MPICH" mpicc.mpich -o "$work/traced" "$here/traced.c"
theirs "$library" TOPOMPI_TRACE="$work/trace" "$work/traced" > "$work/out"
check "MPICH, messages and intervals" test $? = 0 -a ! -e "$work/trace" -a "$(grep -c "$foreign" "$work/out")" = 1
check "a shared object of MPICH" mpicc.mpich -shared -fPIC -Dmain=loaded_main -o "$work/theirs.so" "$here/plain.c"
says "MPICH opened privately" "$(theirs "$library" "$loader" "$work/theirs.so")" 1 "$foreign"
check "a tool of MPICH" mpicc.mpich -shared -fPIC -I "$TOP_SRCDIR/src" -o "$work/tool.so" "$here/counting_tool.c"
all=$(theirs "$work/tool.so" "$work/plain" | grep '^counted:')
seen=$(theirs "$library:$work/tool.so" "$work/plain" | grep '^counted:')
check "MPICH, a tool after the library sees all" test -n "$all" -a "$seen" = "$all"
for binding in mpifh usempi f08; do
    if ! mpifort.mpich -fallow-argument-mismatch "-D$binding" -J "$work" -o "$work/$binding" "$here/binding.F90" > "$work/log" 2>&1; then
        skip "MPICH, Fortran $binding" "does not compile: $(tail -n 3 "$work/log" | tr '\n' ' ')"
    else
        says "MPICH, Fortran $binding" "$(theirs "$library" "$work/$binding")" 1 "$foreign"
    fi
done
finish
