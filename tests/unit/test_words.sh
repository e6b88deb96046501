# The field's words: home-made ones are in no identifier and no document, but where HACKING.md's table of words says what
# they mean there.
. "$TOP_SRCDIR/tests/lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$TOP_SRCDIR" || exit 1

# Words that once had a meaning of their own here, each with its plural. The first are in no document either; the others are
# ordinary English too, so only identifiers are looked at.
own=(crew dissolve lattice lesson parcel patience peel player rater rhythm stretch)
ordinary=(along area channel crowded dealt drive driver exchange half hand members moves order packet part piece plan
    repeat round share shape side slice slot spread strip sums told turn way)

# "FILE WORD" of each word in each identifier; comments and texts are left out.
find src tools include \( -name '*.[ch]' -o -name '*.def' \) ! -name '*_script.c' ! -name '*_text.c' | sort >"$work/files"
while read -r file; do
    perl -0pe 's@/\*.*?\*/@@gs; s@//[^\n]*@@g; s/"(\\.|[^"\\\n])*"//g; s/^#include[^\n]*//gm' "$file" |
        grep -oE '[A-Za-z_][A-Za-z0-9_]*' | tr 'A-Z_' 'a-z\n' | sort -u | sed "s#^#$file #"
done <"$work/files" >"$work/words"

# HACKING.md: | `word` | `path`, `path` | what it means there |; plurals go with it.
sed -nE 's/^\| `([a-z]+)` \| (`[a-z_.\/-]+`(, `[a-z_.\/-]+`)*) \|.*/\1 \2/p' HACKING.md | tr -d '`,' >"$work/argued"

hits() { # WORD: the files with an identifier that has it
    grep -E " $1s?\$" "$work/words" | cut -d ' ' -f 1 | sort -u
}
elsewhere() { # WORD: those that its row does not name
    local path paths
    read -ra paths < <(sed -n "s/^$1 //p" "$work/argued")
    hits "$1" | while read -r file; do
        for path in "${paths[@]}"; do
            [ "${file#"$path"}" = "$file" ] || continue 2
        done
        echo "$file"
    done
}
idle() { # WORD: paths of its row where it is not
    local path paths
    read -ra paths < <(sed -n "s/^$1 //p" "$work/argued")
    for path in "${paths[@]}"; do
        hits "$1" | grep -q "^$path" || echo "$path"
    done
}
check_none() { # NAME COMMAND...
    local name=$1 found
    shift
    found=$("$@" | paste -sd ' ')
    if [ -n "$found" ]; then fail "$name" "$found"; else pass "$name"; fi
}
in_documents() { # WORD; titles of papers are theirs
    grep -rlwE "$1s?" README.md HACKING.md docs man/*.[157] env.example --include='*.md' --include='*.[157]' \
        --include=env.example | grep -vxF docs/REFERENCES.md
}
check "identifiers are found" test "$(wc -l <"$work/words")" -gt 10000
check "the table is found" test "$(wc -l <"$work/argued")" -gt 5
for word in "${own[@]}"; do
    check_none "'$word' in documents" in_documents "$word"
done
for word in "${own[@]}" "${ordinary[@]}"; do
    check_none "'$word' in identifiers, where HACKING.md does not say what it means" elsewhere "$word"
done
while read -r word _; do
    check_none "'$word' is where HACKING.md says" idle "$word"
done <"$work/argued"
finish
