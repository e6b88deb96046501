# A new operation touches at most 12 existing files, and HACKING.md names each: MPI_Scan, from the template in
# tests/data/new_operation, in a copy of the source, is built, called preloaded, tested, and known to the tools.
. "$TOP_SRCDIR/tests/lib.sh"
template=$TOP_SRCDIR/tests/data/new_operation
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
unset MAKEFLAGS MFLAGS MAKELEVEL

# What is distributed is what there is.
if ! make -s -C "$TOP_BUILDDIR" distdir distdir="$tree" top_distdir="$tree" > "$work/log" 2>&1; then
    fail "a copy of the source" "$(tail -n 5 "$work/log")"
    finish
fi
chmod -R u+w "$tree"
cp -r "$tree" "$work/before"

# New files are none that exist; every edit finds its place.
while read -r file; do
    [ ! -e "$tree/$file" ] || fail "$file" "a new file that exists already"
    mkdir -p "$tree/${file%/*}" && cp "$template/new/$file" "$tree/$file"
done < <(cd "$template/new" && find . -type f | sed 's|^\./||')
while read -r file; do
    sed -i -f "$template/edit/$file.sed" "$tree/$file"
    if cmp -s "$tree/$file" "$work/before/$file"; then fail "$file" "the template's edit found no place in it"; fi
done < <(cd "$template/edit" && find . -name '*.sed' | sed 's|^\./||; s|\.sed$||' | sort)

build() {
    cd "$tree" && autoreconf && ./configure -q --enable-werror CFLAGS=-O0 &&
        make -s -j2 && make -s -j2 tests/mpi/test_scan && make -s generated
}
# called NAME PROGRAM: it runs preloaded, and its calls are ours.
called() {
    local out
    out=$(apart mpi 4 -x LD_PRELOAD="$tree/src/.libs/libtopompi.so" -x TOPOMPI_SCAN=chain -x TOPOMPI_STATS=1 "$2")
    if [[ $out == *ok* ]] && grep -q 'scan .* chain' <<< "$out"; then pass "$1"; else fail "$1" "$out"; fi
}
if ! { command -v autoreconf && command -v libtoolize; } > /dev/null; then
    skip "the library with MPI_Scan" "no autoconf, automake and libtool"
elif ! (build) > "$work/log" 2>&1; then
    fail "the library with MPI_Scan" "$(tail -n 30 "$work/log")"
else
    pass "the library with MPI_Scan is built"
    if "${MPICC:-mpicc}" -o "$work/c" "$template/call.c"; then called "called from C" "$work/c"; fi
    if [ -n "${MPIFORT:-}" ] && "$MPIFORT" -o "$work/f" "$template/call.f90"; then
        called "called from Fortran" "$work/f"
    else
        skip "called from Fortran" "no mpifort (Debian: gfortran libopenmpi-dev)"
    fi
    # Its test, and the tools.
    out=$(apart mpi 3 "$tree/tests/mpi/test_scan")
    if grep -qE '^[1-9][0-9]* passed, 0 failed' <<< "$out"; then pass "its test"; else fail "its test" "$out"; fi
    out=$(apart mpi 2 "$tree/tools/topo-bench/topo-bench" scan -s 8 --algorithms native,chain)
    if grep -qE '^ +chain +[0-9]' <<< "$out"; then pass "topo-bench"; else fail "topo-bench" "$out"; fi
    "$tree/tools/topo-predict/topo-predict" "$work" --algorithm scan=chain -m "node:2 core:2" > "$work/out" 2>&1
    status=$?
    "$tree/tools/topo-predict/topo-predict" "$work" --algorithm scan=ring >> "$work/out" 2>&1
    if [ $status,$? = 1,2 ] && grep -q -- '--scan ring: no such algorithm' "$work/out"; then
        pass "topo-predict"
    else
        fail "topo-predict" "exit status $status, expected 1: no trace there; $(cat "$work/out")"
    fi
    # What the tables are shown in, which `make generated` wrote.
    for file in env.example man/topompi.7; do
        check "$file has its option" grep -q TOPOMPI_SCAN "$tree/$file"
    done
    touched=$(cd "$work/before" && find . -type f ! -path './build-aux/*' ! -path './m4/*' | sed 's|^\./||' | sort |
        while read -r file; do cmp -s "$file" "$tree/$file" || echo "$file"; done |
        grep -vE '^(configure|aclocal\.m4|config\.h\.in|Makefile\.in)$')
    named=$(awk '/^\*\*An operation\./ { inside = 1 } /^\*\*An algorithm\./ { inside = 0 }
        inside && /^\| `/ { gsub(/[|` ]+/, " "); print $1 }' "$TOP_SRCDIR/HACKING.md" | sort)
    count=$(wc -l <<< "$touched")
    if [ "$count" -le 12 ]; then pass "$count files are touched"; else fail "files that are touched" "$count: $touched"; fi
    if [ "$touched" = "$named" ]; then pass "HACKING.md names each"; else fail "HACKING.md" "$(diff <(echo "$touched") <(echo "$named"))"; fi
fi
finish
