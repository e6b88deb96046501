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

# Words of the second column: those that env.example allows, where it lists words alone, or words between bars. "…" stands for some more.
words=$(awk '/^# allowed: / { allowed = substr($0, 12); more = 1; next }
             /^# / && more { allowed = allowed " " substr($0, 3) }
             /^#TOPOMPI/ { print substr($1, 2, index($1, "=") - 2), allowed; allowed = ""; more = 0 }' "$TOP_SRCDIR/env.example")
word='([a-z_]+|[a-z]+:[A-Z]+|[A-Z]+\.[a-z]+)'
while read -r name allowed; do
    if [[ $allowed == *'|'* ]]; then
        wanted=$(tr '|' '\n' <<<"$allowed" | tr -d ' ' | grep -xE "$word")
    elif [[ $allowed =~ ^$word(\ $word)*$ ]]; then
        wanted=$(tr ' ' '\n' <<<"$allowed")
    else
        wanted=''
    fi
    values=$(grep -F "| \`$name\` |" "$readme" | cut -d'|' -f3)
    shown=$(grep -oE "\`$word\`" <<<"$values" | tr -d '`')
    missing=$(grep -vxF "${shown:- }" <<<"$wanted" | paste -sd ' ')
    wrong=$(grep -vxF "${wanted:- }" <<<"$shown" | paste -sd ' ')
    [[ $values != *…* ]] || missing=''
    if [ -z "$missing$wrong" ]; then
        pass "the words of $name"
    else
        fail "the words of $name" "README.md lacks: ${missing:-none}; there are not: ${wrong:-none}"
    fi
done <<<"$words"
while read -r name; do
    if printf '%s\n' "$options" | grep -q "^$name "; then
        pass "$name exists"
    else
        fail "$name" "in README.md, but there is no such variable"
    fi
done < <(grep -oE '\bTOPOMPI(_[A-Z]+)?\b' "$readme" | sort -u)
finish
