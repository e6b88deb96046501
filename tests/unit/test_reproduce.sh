#!/bin/bash
# tools/reproduce: figures that need no cluster, repeated, and what it says of wrong words.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
tool=$here/../../tools/reproduce
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
command -v python3 >/dev/null || { skip "reproduce" "python3 is missing"; finish; }
export TOP_BUILDDIR=${TOP_BUILDDIR:-$PWD} TOP_SRCDIR=${TOP_SRCDIR:-$here/../..}
built "$TOP_BUILDDIR/tools/topo-dump/topo-dump"

refused() { # NAME WORDS ARGUMENT...
    local name=$1 words=$2
    shift 2
    "$tool" "$@" >"$folder/out" 2>"$folder/err"
    if [ $? -eq 2 ] && grep -q "$words" "$folder/err"; then pass "$name"; else fail "$name" "$(cat "$folder/err")"; fi
}
refused "an unknown document" "allowed are.*kurnosov" knuth-1
refused "an unknown option" "unrecognized" --fast
check "the documents" sh -c "'$tool' --list | grep -qx predictor"

check "the figures run" "$tool" --quick --output "$folder/page.md" kurnosov-3 predictor
check "schedules" "$tool" --quick --output "$folder/schedules.md" wang-2 wang-3.1 wang-3.2 wang-3.3 wang-4 kurnysh-6
check "wang: every table is the document's" test "$(awk -F ' [|] ' '$2 ~ /^COM,/ && $4 ~ /^the same/' "$folder/schedules.md" | wc -l)" = 4
check "wang: as many steps, none in conflict" sh -c "[ \$(grep -c '^| .* steps of CSS, algorithm.* | 1 |\$' '$folder/schedules.md') = 4 ] &&
     [ \$(grep -c 'meet at a receiver | messages | 0 | 0 |' '$folder/schedules.md') = 3 ] && grep -q 'meet at a receiver | messages | 2 | 0 |' '$folder/schedules.md'"
check "wang: CS of sections 3.1 and 3.2 is the document's, receiver by receiver" test \
    "$(awk -F ' [|] ' '$2 ~ /^CS,/ && $4 ~ /^the same/ {print $1}' "$folder/schedules.md" | paste -sd ' ')" = "| 3.1 | 3.2"
check "what the documents say, and whether it is so" sh -c "grep -q '^| 3.3 | no conflicts in the steps of .* | yes |' '$folder/schedules.md' &&
     grep -qE '^[|] 6a [|] GGP takes much longer.* [|] (yes|in part) [|]' '$folder/schedules.md'"
check "kurnysh 6: runs and their spread, slopes" sh -c "grep -qE '^[|] N=64 [|]( [0-9.,]+ [|]){3} 5: [0-9.]+ to [0-9.]+ [|]' '$folder/schedules.md' &&
     grep -q '^[*]*6b[*]*: slope of log time by log N' '$folder/schedules.md'"
check "the tree and the versions" sh -c "tr '\n' ' ' <'$folder/schedules.md' | grep -E 'Measured: 2, 3.1.* on 20[0-9-]+ [(]([0-9a-f]{10}(, changed)?|no clone)[)]' |
     grep -q 'with topo-bench (TopoMPI) .*; Linux .*; Python '"
check "kurnosov 3: the subsets are those of the paper" grep -qF '| {0,2,4,6} {1,3,5,7} | the same |' "$folder/page.md"
check "no other figure of it" sh -c "! grep -q '^| [12456] |' '$folder/page.md'"
check "every run of the Predictor's traces is as worked out by hand" python3 - "$folder/page.md" "$here/../data/dvm" <<'PY'
import glob, sys
rows = [line.split("|") for line in open(sys.argv[1]) if line.startswith(("| 3.", "| 4."))]
runs = sum(line.startswith("run ") for path in glob.glob(sys.argv[2] + "/*.expect") for line in open(path))
assert len(rows) == runs > 15, (len(rows), runs)
for row in rows:
    assert row[6].strip() == "1" and row[4].strip().startswith("by hand: "), row
PY
check "what the Predictor's design leaves open" sh -c "tr '\n' ' ' <'$folder/page.md' | grep -E -- '- 3.8: [^-]*min[(]c, e[)] - s.*- 3.9: .*lost its beginning' >/dev/null"
check "commands that repeat them" sh -c "tr -d '\n\\\\' <'$folder/page.md' | grep -q 'topo-predict-dvm/topo-predict-dvm  *tests/data/dvm/{[^}]*shadow[^}]*}.trc  *--par'"
check "lines of at most 120 columns, here and in docs" test "$(awk 'length > 120' "$folder"/*.md "$here/../../docs/REPRODUCTION.md" | wc -l)" = 0
"$tool" --quick --keep "$folder/rows" --output "$folder/kept.md" wang-2 wang-4 2>"$folder/err"
"$tool" --quick --keep "$folder/rows" --output "$folder/kept.md" wang-3.1 kurnosov-3 2>"$folder/err"
"$tool" --quick --keep "$folder/rows" --output "$folder/kept.md" wang-4 2>"$folder/err"
check "figures measured one after the other, each once, in order" test "$(grep -oE '^[|] ([0-9.]+) [|]' "$folder/kept.md" | tr -d '| ' | uniq -c | awk '{print $1 "x" $2}' | paste -sd ' ')" = "1x3 2x2 2x3.1 1x4 2x2 2x3.1 3x2 3x3.1 2x4"
check "wang 4: what meets without a schedule, worked out by hand" grep -q '[|] grey in 4b [|] 12 [|]' "$folder/kept.md"
command -v gnuplot >/dev/null && check "and its picture" grep -q "12 of 60 elements while another" "$folder/reproduction/wang-4.svg"
before=$(md5sum <"$folder/page.md")
"$tool" --quick --output "$folder/page.md" wang-2 kurnosov-99 >"$folder/out" 2>"$folder/err"
check "a page that is there is not replaced by a failure" test "$? $(md5sum <"$folder/page.md")" = "1 $before"
check "what was repeated is shown all the same" grep -q '^## Wang' "$folder/out"
"$tool" kurnosov-99 >/dev/null 2>"$folder/err"
check "a figure that is none" test $? = 1
check "is named" grep -q "no such figure: 99" "$folder/err"
finish
