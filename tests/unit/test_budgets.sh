# Documents stay short: no more lines, words and columns, as wc counts them, and pictures than this table allows.
. "$TOP_SRCDIR/tests/lib.sh"
cd "$TOP_SRCDIR" || exit 1
export LC_ALL=C.UTF-8
while read -r limit unit patterns; do
    # shellcheck disable=SC2086
    set -- $patterns
    case $unit in
    lines) count=$(cat "$@" | wc -l) ;;
    words) count=$(cat "$@" | wc -w) ;;
    columns) count=$(cat "$@" | wc -L) ;;
    pictures) count=$# ;;
    esac
    if [ -f "$1" ] && [ "$count" -le "$limit" ]; then
        pass "$count $unit of $patterns"
    else
        fail "$patterns" "${count:-no} $unit, at most $limit"
    fi
done <<'END'
90 lines README.md
900 words README.md
250 lines HACKING.md
20000 words README.md HACKING.md docs/[!R]*.md docs/README.md docs/REFERENCES.md docs/howto/*.md
120 columns man/*.[157]
120 columns src/select/rules.conf README.md HACKING.md NEWS.md docs/[!R]*.md docs/README.md docs/REFERENCES.md docs/howto/*.md
9000 words man/*.[157]
1200 lines docs/measurements/*.md
12000 words docs/measurements/*.md
120 columns docs/measurements/*.md
12 pictures docs/*.svg docs/measurements/*/*.svg
END
finish
