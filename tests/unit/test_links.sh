# Links of documents, and what comments cite, lead to files and headings that there are; tables of documents have all.
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

# So do documents, and their sections, that comments cite: "docs/LEVELS.md, short messages)".
kinds = {".c", ".h", ".def", ".conf", ".sh", ".py", ".mk"}
for file in sorted(f for p in ("src", "tests", "tools") for f in pathlib.Path(p).rglob("*") if f.suffix in kinds):
    if "installed" in file.parts or not file.is_file():
        continue
    text = re.sub(r"\n\s*[*#]*\s*", " ", file.read_text(errors="replace"))
    lost, links = [], 0
    for name, section in re.findall(r"(docs/[\w/-]+\.md)(?:, ([A-Z a-z]+\d*)[^.]*?[);:])?", text):
        page = pathlib.Path(name)
        links += 1
        if not page.is_file() or (section and section.lower().strip().replace(" ", "-") not in headings(page)):
            lost.append(f"{name}, {section}")
    print(file, links, *lost)
END
)
while read -r file links lost; do
    [ "$links" -gt 0 ] || continue
    if [ -z "$lost" ]; then pass "$file: $links links"; else fail "$file" "leads nowhere: $lost"; fi
done <<<"$found"

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
