# The files made from the tables of options and algorithms are the ones that the tables give now.
. "$TOP_SRCDIR/tests/lib.sh"
dump=$TOP_BUILDDIR/tools/topo-dump/topo-dump
made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT

fresh() { # COMMITTED ARGUMENT...
    local committed=$1
    shift
    if "$dump" "$@" -o "$made/file" && diff -u "$TOP_SRCDIR/$committed" "$made/file"; then
        pass "$committed is fresh"
    else
        fail "$committed" "stale: run 'make generated' and commit it"
    fi
}
fresh env.example options --format env
fresh man/topompi.7 options --format man
fresh docs/mapping.svg --synthetic "node:4 core:4" --format svg
for word in 'options --format xml' 'options extra' 'options -x' 'options --format' 'nothing' 'algorithms --format env'; do
    error=$("$dump" $word 2>&1 >/dev/null)
    status=$?
    if [ $status -eq 2 ] && [ "$(printf '%s\n' "$error" | wc -l)" -eq 1 ] && [ "${error#topo-dump: }" != "$error" ]; then
        pass "'topo-dump $word' is refused: $error"
    else
        fail "'topo-dump $word'" "exit $status, expected 2 and one line, got: $error"
    fi
done
for table in algorithms options; do
    check "topo-dump $table --format json is JSON" sh -c "'$dump' $table --format json | python3 -m json.tool"
done
finish
