# Links of the documents lead to files that there are, and to headings; tables of documents have all.
. "$TOP_SRCDIR/tests/lib.sh"
command -v python3 >/dev/null || { skip "links" "no python3" && finish; }
cd "$TOP_SRCDIR" || exit 1
found=$(python3 - <<'END'
import pathlib, re
places = ["README.md", "HACKING.md", "NEWS.md", "docs", "packaging", "src", "tests", "tools"]
files = sorted(f for p in map(pathlib.Path, places) for f in ([p] if p.is_file() else p.rglob("*.md")))

def headings(file):
    """As GitHub makes anchors: lower case, no punctuation, '-' for each blank."""
    return {re.sub(r"[^\w\- ]", "", h.strip().lower()).replace(" ", "-")
            for h in re.findall(r"^#+ (.*)$", file.read_text(), re.M)}

for file in files:
    lost, links = [], 0
    for link in re.findall(r"\]\(([^)\s]+)\)", file.read_text()):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = file.parent / path if path else file
        links += 1
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in headings(target)):
            lost.append(link)
    print(file, links, *lost)
END
)
while read -r file links lost; do
    [ "$links" -gt 0 ] || continue
    if [ -z "$lost" ]; then pass "$file: $links links"; else fail "$file" "leads nowhere: $lost"; fi
done <<<"$found"

# So do names of documents in comments.
cited=$(grep -rhoIE 'docs/[A-Za-z_/-]+\.md' --include='*.[chsm5-7]*' --include='*.def' --exclude-dir=installed src tests tools man | sort -u)
[ -n "$cited" ] || fail "documents that are cited" "none was found"
lost=$(for document in $cited; do [ -e "$document" ] || echo "$document"; done | paste -sd ' ')
if [ -z "$lost" ]; then pass "documents that are cited"; else fail "documents that are cited" "$lost"; fi

# Each document is in a table.
listed() { # INDEX FOLDER
    local file
    for file in "$2"/*.md; do
        [ "$file" = "$1" ] || grep -qF "](${file#"$(dirname "$1")/"})" "$1" || echo "$file is not in $1"
    done
}
lost=$(listed docs/README.md docs; listed docs/README.md docs/howto; listed docs/measurements/README.md docs/measurements)
if [ -z "$lost" ]; then pass "every document is in a table"; else fail "every document is in a table" "$lost"; fi
[ $passed -gt 20 ] || fail "links" "hardly any were found: $found"
finish
