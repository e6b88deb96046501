# Sourced by the tests of topo-dump: where it is, a folder to work in, and what they all check with.
# shellcheck shell=bash
. "$TOP_SRCDIR/tests/lib.sh"
dump=$TOP_BUILDDIR/tools/topo-dump/topo-dump
data=$TOP_SRCDIR/tests/data/topo-dump
made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT

words=()       # what stands before every ARGUMENT below
definitions='' # lines of Python that an EXPRESSION below may build on

golden() { # NAME FILE: what is on stdin is the file
    if diff -u "$2" - >"$made/diff"; then pass "$1"; else fail "$1" "$(cat "$made/diff")"; fi
}

# refused STATUS WORD ARGUMENT...: that exit status and one line on stderr with WORD in it, nothing on stdout.
refused() {
    local wanted=$1 word=$2 status
    shift 2
    "$dump" "${words[@]}" "$@" >"$made/out" 2>"$made/err"
    status=$?
    if [ $status -eq "$wanted" ] && [ "$(wc -l <"$made/err")" -eq 1 ] && [ ! -s "$made/out" ] &&
        grep -q -e "^topo-dump: .*$word" "$made/err"; then
        pass "refused: $* ($(cat "$made/err"))"
    else
        fail "refused: $*" "exit $status, expected $wanted and one line with '$word', got: $(cat "$made/err")"
    fi
}

# holds NAME EXPRESSION ARGUMENT...: Python expression over the JSON output `j`.
holds() {
    local name=$1 expression=$2
    shift 2
    if "$dump" "${words[@]}" "$@" --format json >"$made/json" && python3 -c "
import json, sys
j = json.load(open('$made/json'))
$definitions
sys.exit(0 if ($expression) else 1)"; then
        pass "$name"
    else
        fail "$name" "$expression does not hold for: $(head -c 2000 "$made/json")"
    fi
}
