# Manual pages: troff has no complaint about them, and each kind has its sections. What a page quotes under DIAGNOSTICS, the tools
# or the library say.
. "$TOP_SRCDIR/tests/lib.sh"
cd "$TOP_SRCDIR" || exit 1

# sections PAGE NAME...: in this order, others between them.
sections() {
    local page=$1 found
    shift
    found=$(sed -n 's/^\.SH //p' "$page" | grep -xF "$(printf '%s\n' "$@")" | paste -sd ,)
    [ "$found" = "$(printf '%s\n' "$@" | paste -sd ,)" ] || { echo "$page has only: $found"; false; }
}
for page in man/*.1; do
    check "sections of $page" sections "$page" NAME SYNOPSIS DESCRIPTION OPTIONS "EXIT STATUS" FILES DIAGNOSTICS EXAMPLES "SEE ALSO"
done
for page in man/*.5; do
    check "sections of $page" sections "$page" NAME DESCRIPTION FILES DIAGNOSTICS EXAMPLES "SEE ALSO"
done
check "sections of man/topompi.7" sections man/topompi.7 NAME SYNOPSIS DESCRIPTION ENVIRONMENT FILES DIAGNOSTICS EXAMPLES "SEE ALSO"

# Pages name each other as they are called.
for page in man/*.[157]; do
    lost=$(sed 's/\\//g' "$page" | grep -oE '^\.BR? topo[a-z-]+ \([157]\)' | sed -E 's/^\.BR? (.*) \(([157])\)/man\/\1.\2/' | sort -u |
        while read -r other; do [ -f "$other" ] || echo "$other"; done)
    if [ -z "$lost" ]; then pass "$page names pages that there are"; else fail "$page" "no $lost"; fi
done

# quoted PAGE: each heading of DIAGNOSTICS stands in a string of the source.
quoted() {
    local line all
    all=$(cat tools/*/*.c tools/*/*.in src/*/*.c src/*/*/*.c | tr -d '"\n' | tr -s ' ')
    while read -r line; do
        grep -qF -- "$line" <<<"$all" || { echo "nobody says: $line"; return 1; }
    done < <(sed -n '/^\.SH DIAGNOSTICS/,/^\.SH E/p' "$1" | sed -n 's/^\.B //p' | sed 's/\\//g')
}
for page in man/*.[15]; do check "$page quotes what is said" quoted "$page"; done

if command -v man >/dev/null && MANWIDTH=80 man -l --warnings -E UTF-8 man/topompi.7 >/dev/null 2>&1; then
    for page in man/*.[157]; do
        out=$(MANWIDTH=80 man -l --warnings -E UTF-8 "$page" 2>&1 >/dev/null)
        if [ -z "$out" ]; then pass "$page is clean"; else fail "$page" "$out"; fi
    done
elif command -v groff >/dev/null; then
    for page in man/*.[157]; do
        out=$(groff -man -Tutf8 -ww -z "$page" 2>&1)
        if [ -z "$out" ]; then pass "$page is clean"; else fail "$page" "$out"; fi
    done
else
    skip "troff's warnings" "neither man nor groff (Debian: man-db)"
fi
finish
