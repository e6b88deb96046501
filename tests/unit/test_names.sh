# Every module of the PURE folders and of topo-predict-dvm, X.c with a header X.h of its own, has a unit test of its name, check_X; every check_X is
# run, and of a module: src/.../X.c, or tools/topo-bench/X.c for check_bench_X.
. "$TOP_SRCDIR/tests/lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$TOP_SRCDIR" || exit 1

# The rows of HACKING.md's table. preload/ cannot be linked into a test: it is loaded in front of programs (tests/preload).
sed -nE 's#^\| `src/([a-z0-9_/]+)/` \| PURE .*#\1#p' HACKING.md | grep -vx preload | sed 's#^#src/#; $a tools/topo-predict-dvm' | while read -r folder; do
    for header in "$folder"/*.h; do
        [ ! -f "${header%.h}.c" ] || basename "$header" .h
    done
done | sort >"$work/modules"
sed -nE 's#^\ttests/unit/check_([a-z0-9_]+)( \\)?$#\1#p' tests/unit/local.mk | sort >"$work/run"
ls tests/unit/check_*.c | sed -E 's#.*/check_(.*)\.c#\1#' | sort >"$work/written"

check_none() { # NAME COMMAND...: it finds nothing
    local name=$1 found
    shift
    found=$("$@" | paste -sd ' ')
    if [ -n "$found" ]; then fail "$name" "$found"; else pass "$name"; fi
}
of_no_module() {
    while read -r name; do
        [ -f "tools/topo-bench/${name#bench_}.c" ] || [ -n "$(find src tools/topo-predict-dvm -name "$name.c")" ] || echo "$name"
    done <"$work/written"
}
check "modules are found" test "$(wc -l <"$work/modules")" -gt 50
check_none "no two modules have one name" uniq -d "$work/modules"
check_none "each has a test of its name" comm -23 "$work/modules" "$work/run"
check_none "each test that is written is run" comm -3 "$work/written" "$work/run"
check_none "each test is of a module" of_no_module
finish
