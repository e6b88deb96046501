# The #include edges between the folders of src/ are those of the table in HACKING.md, none more and none fewer, and make
# no circle. Edges count between the innermost folders; src/coll/<operation>/ are all one, "coll/<operation>".
. "$TOP_SRCDIR/tests/lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$TOP_SRCDIR/src" || exit 1

# The folder of an operation has the operation's name, which algorithms.def gives in its NATIVE() row.
operations=$(sed -nE 's/^NATIVE\(([a-z_]+)\)$/\1/p' catalog/algorithms.def | paste -sd '|')
name() { sed -E "s#coll/($operations)( |\$)#coll/<operation>\2#g"; }

find . -name '*.[ch]' -o -name '*.def' | sed 's#^\./##' | while read -r file; do
    sed -nE 's#^\#include "([^"]+/)[^/"]+"$#\1#p' "$file" | sed -E "s#/\$##; s#^#${file%/*} #"
done | name | awk '$1 != $2' | sort -u >"$work/found"

# | `src/folder/` | kind | what it includes | ...
sed -nE 's#^\| `src/([a-z0-9_/<>]+)/` \| [A-Z]* *\| ([^|]*) \|.*#\1 \2#p' "$TOP_SRCDIR/HACKING.md" | tr -d ',' |
    awk '{ for (i = 2; i <= NF; i++) if ($i != "-") print $1, $i }' | sort -u >"$work/told"

[ -s "$work/told" ] && pass "HACKING.md has the table" || fail "HACKING.md has the table" "no row was read"
check_none() { # NAME FILE
    if [ -s "$2" ]; then fail "$1" "$(paste -sd ';' "$2")"; else pass "$1"; fi
}
comm -23 "$work/found" "$work/told" >"$work/more"
comm -13 "$work/found" "$work/told" >"$work/fewer"
check_none "no folder includes another that HACKING.md does not name for it" "$work/more"
check_none "HACKING.md names no edge that is not there" "$work/fewer"
tsort <"$work/found" >/dev/null 2>"$work/circle"
check_none "no circle of folders" "$work/circle"

# Each folder has a row.
find . -name '*.[ch]' -o -name '*.def' | sed -E 's#^\./##; s#/[^/]+$##' | name | sort -u >"$work/folders"
sed -nE 's#^\| `src/([a-z0-9_/<>]+)/`.*#\1#p' "$TOP_SRCDIR/HACKING.md" | sort -u >"$work/rows"
diff "$work/folders" "$work/rows" >"$work/differ"
check_none "every folder of src/ has a row" "$work/differ"
finish
