# Names of one family of MPI libraries are in its own files alone, in src/family/; elsewhere comments may tell of Open MPI and MPICH.
. "$TOP_SRCDIR/tests/lib.sh"
command -v python3 >/dev/null || { skip "families" "no python3" && finish; }
found=$(python3 - "$TOP_SRCDIR/src" <<'END'
import pathlib, re, sys
name = re.compile(r"OPEN_MPI|\bOMPI_|\bopal_|\bompi_|MPICH|\bPMI_")
def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
files = 0
for file in sorted(pathlib.Path(sys.argv[1]).rglob("*.[ch]")) + sorted(pathlib.Path(sys.argv[1]).rglob("*.def")):
    path = file.relative_to(sys.argv[1])
    lines = without_comments(file.read_text()).split("\n")
    hits = [f"{path}:{n}: {line.strip()}" for n, line in enumerate(lines, 1) if name.search(line)]
    files += 1
    if path.parts[0] == "family":
        print("family", len(hits))
    elif hits:
        print("\n".join("elsewhere " + hit for hit in hits))
print("files", files)
END
)
check "files are read" test "$(sed -n 's/^files //p' <<<"$found")" -gt 200
check "the family's own files have such names" grep -q '^family [1-9]' <<<"$found"
if ! grep -q '^elsewhere' <<<"$found"; then pass "no other has"; else fail "no other has" "$(grep '^elsewhere' <<<"$found")"; fi
finish
