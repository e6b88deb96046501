# README.md knows every variable with its default and its words, and no others.
. "$TOP_SRCDIR/tests/lib.sh"
readme=$TOP_SRCDIR/README.md

# env.example (checked against the tables by test_generated.sh) has the lines #NAME=default.
options=$(sed -nE 's/^#(TOPOMPI[A-Z_]*)=(.*)/\1 \2/p' "$TOP_SRCDIR/env.example")
[ -n "$options" ] || fail "env.example" "names no variable"
while read -r name default; do
    row=$(grep -F "| \`$name\` |" "$readme")
    shown=$(printf '%s' "$row" | cut -d'|' -f4 | tr -d ' `')
    if [ "$(printf '%s\n' "$row" | grep -c .)" -ne 1 ]; then
        fail "$name" "README.md has no row, or several, for it"
    elif [ "$shown" != "${default:-empty}" ]; then
        fail "$name" "its default is '$default', README.md says '$shown'"
    else
        pass "$name is in README.md"
    fi
done <<<"$options"
while read -r name; do
    if printf '%s\n' "$options" | grep -q "^$name "; then
        pass "$name exists"
    else
        fail "$name" "in README.md, but there is no such variable"
    fi
done < <(grep -oE '\bTOPOMPI(_[A-Z]+)?\b' "$readme" | sort -u)
finish
