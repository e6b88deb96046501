# docs/FAQ.md has every line that the library can say: the longest part of each topo_say()'s format that is not filled in.
. "$TOP_SRCDIR/tests/lib.sh"
command -v python3 >/dev/null || { skip "docs/FAQ.md" "no python3" && finish; }
found=$(python3 - "$TOP_SRCDIR" <<'END'
import pathlib, re, sys
root = pathlib.Path(sys.argv[1])
faq = " ".join((root / "docs/FAQ.md").read_text().split())
for file in sorted((root / "src").rglob("*.c")):
    for said in re.finditer(r"\btopo_say\(", file.read_text()):
        rest, text = file.read_text()[said.end():], ""
        # The first argument: literals and names of macros, one after the other.
        while part := re.match(r'\s*(?:"((?:[^"\\]|\\.)*)"|([A-Z_]+))', rest):
            text += part[1] if part[1] is not None else "%s"
            rest = rest[part.end():]
        parts = [p.strip() for p in re.split(r"%[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:ll|l|z)?[a-zA-Z%]", text)]
        longest = max(parts, key=len)
        if len(longest) >= 12:
            print("has" if longest in faq else "lacks", f"{file.relative_to(root)}: {longest}")
END
)
while read -r verdict message; do
    if [ "$verdict" = has ]; then pass "$message"; else fail "$message" "not in docs/FAQ.md"; fi
done <<<"$found"
# These are said by topo_say("%s"), put together out of parts.
while IFS='|' read -r file message; do
    if ! grep -qF "$message" "$TOP_SRCDIR/$file"; then
        fail "$message" "$file does not say it"
    elif grep -qF "$message" "$TOP_SRCDIR/docs/FAQ.md"; then
        pass "$file: $message"
    else
        fail "$message" "not in docs/FAQ.md"
    fi
done <<'END'
src/report/text.c|statistics of
END
[ "$(grep -c '^has' <<<"$found")" -ge 12 ] || fail "topo_say" "no formats were found: $found"
finish
