# A new operation touches at most 12 existing files, and HACKING.md names each: MPI_Neighbor_allgather, from the template in
# tests/data/new_operation, in a copy of the source, is built, called preloaded, tested, and known to the tools. In the same
# copy a broadcast along a binomial tree, one file, a row and a line of local.mk (tests/data/new_form), is run, proved, priced,
# drawn, listed and, with TEST_COUNTS=all, simulated.
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
form=$TOP_SRCDIR/tests/data/new_form
cp "$form/new/src/plan/bcast_binomial.c" "$tree/src/plan/"
for file in src/catalog/algorithms.def src/plan/local.mk; do
    sed -i -f "$form/edit/$file.sed" "$tree/$file"
    if cmp -s "$tree/$file" "$TOP_SRCDIR/$file"; then fail "$file" "the form's edit found no place in it"; fi
done
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
        make -s -j2 && make -s -j2 tests/mpi/test_neighbor_allgather tests/mpi/test_bcast && make -s generated
}
# called NAME PROGRAM: it runs preloaded, and its calls are ours.
called() {
    local out
    out=$(apart mpi 4 -x LD_PRELOAD="$tree/src/.libs/libtopompi.so" -x TOPOMPI_NEIGHBOR_ALLGATHER=direct -x TOPOMPI_STATS=1 "$2")
    if [[ $out == *ok* ]] && grep -q 'neighbor_allgather .* direct' <<< "$out"; then pass "$1"; else fail "$1" "$out"; fi
}
if ! { command -v autoreconf && command -v libtoolize; } > /dev/null; then
    skip "the library with MPI_Neighbor_allgather" "no autoconf, automake and libtool"
elif ! (build) > "$work/log" 2>&1; then
    fail "the library with MPI_Neighbor_allgather" "$(tail -n 30 "$work/log")"
else
    pass "the library with MPI_Neighbor_allgather is built"
    if "${MPICC:-mpicc}" -o "$work/c" "$template/call.c"; then called "called from C" "$work/c"; fi
    if [ -n "${MPIFORT:-}" ] && "$MPIFORT" -o "$work/f" "$template/call.f90"; then
        called "called from Fortran" "$work/f"
    else
        skip "called from Fortran" "no mpifort (Debian: gfortran libopenmpi-dev)"
    fi
    # Its test, and the tools.
    out=$(apart mpi 3 "$tree/tests/mpi/test_neighbor_allgather")
    if grep -qE '^[1-9][0-9]* passed, 0 failed' <<< "$out"; then pass "its test"; else fail "its test" "$out"; fi
    out=$(apart mpi 2 "$tree/tools/topo-bench/topo-bench" neighbor_allgather -s 8 --algorithms native,direct)
    if grep -qE '^ +direct +[0-9]' <<< "$out"; then pass "topo-bench"; else fail "topo-bench" "$out"; fi
    "$tree/tools/topo-predict/topo-predict" "$work" --algorithm neighbor_allgather=direct -m "node:2 core:2" > "$work/out" 2>&1
    status=$?
    "$tree/tools/topo-predict/topo-predict" "$work" --algorithm neighbor_allgather=ring >> "$work/out" 2>&1
    if [ $status,$? = 1,2 ] && grep -q -- '--neighbor_allgather ring: no such algorithm' "$work/out"; then
        pass "topo-predict"
    else
        fail "topo-predict" "exit status $status, expected 1: no trace there; $(cat "$work/out")"
    fi
    # The broadcast along a binomial tree.
    check "the form is one file of up to 60 lines" test "$(wc -l < "$form/new/src/plan/bcast_binomial.c")" -le 60 -a \
        "$(find "$form/new" -type f | wc -l)" = 1
    dump=$tree/tools/topo-dump/topo-dump
    check "the form is listed" grep -qx ' *binomial' <("$dump" algorithms)
    check "it is in the option's words" grep -q 'binomial' "$tree/man/topompi.7"
    for machine in "node:1 core:3" "node:5 core:2" "node:8" "switch:2 node:3 core:1,2,3,1,2,4"; do
        for bytes in 8 1M; do
            out=$("$dump" plan --synthetic "$machine" --algorithm binomial --bytes $bytes --root 1)
            if [[ $(head -n 1 <<< "$out") == *" blocks, "*[1-9]*" us" ]]; then
                pass "proved and priced: $machine, $bytes"
            else
                fail "proved and priced: $machine, $bytes" "$out"
            fi
        done
    done
    "$dump" plan --synthetic "node:8" --algorithm binomial --format svg > "$work/svg"
    check "drawn" grep -q 'send block 0 to rank 4' "$work/svg"
    out=$(apart mpi 3 "$tree/tests/mpi/test_bcast")
    if grep -qE '^[1-9][0-9]* passed, 0 failed' <<< "$out"; then pass "run beside native"; else fail "run beside native" "$out"; fi
    out=$(apart mpi 2 "$tree/tools/topo-bench/topo-bench" bcast -s 8 --algorithms native,binomial)
    if grep -qE '^ +binomial +[0-9]' <<< "$out"; then pass "timed by topo-bench"; else fail "timed by topo-bench" "$out"; fi
    if [ "${TEST_COUNTS:-}" = all ]; then
        TOP_BUILDDIR=$tree "$tree/tests/sim/run" 8x1 bcast 8 ours:binomial > "$work/out" 2>&1
        status=$?
        if [ $status = 77 ]; then skip "simulated" "$(tail -n 1 "$work/out")"; else
            check "simulated" grep -q 'bcast 8 ours:binomial .* right' "$work/out"
        fi
    fi
    # What the tables are shown in, which `make generated` wrote.
    for file in env.example man/topompi.7; do
        check "$file has its option" grep -q TOPOMPI_NEIGHBOR_ALLGATHER "$tree/$file"
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
