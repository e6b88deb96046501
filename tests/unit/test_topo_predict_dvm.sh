#!/bin/bash
# topo-predict-dvm: reports, arguments, exit statuses; the page in a real browser where there is one. What topo-predict hands
# on to it, and what it does not.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
tool=${TOP_BUILDDIR:-$PWD}/tools/topo-predict-dvm/topo-predict-dvm
mpi_tool=${TOP_BUILDDIR:-$PWD}/tools/topo-predict/topo-predict
data=$here/../data/dvm
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
built "$tool" "$mpi_tool"

# says STATUS WORDS ARGUMENT...: exit status and some words of the output.
says() {
    local status=$1 words=$2 out got
    shift 2
    out=$("$tool" "$@" 2>&1)
    got=$?
    [ $got -eq "$status" ] && [[ $out == *"$words"* ]] || { echo "exit status $got: $out" | head -n 20; false; }
}
check "text" says 0 "entered 1, 4 processors, 0.003709 s" "$data/shadow.trc" -p "$data/network22.par"
check "shapes one after the other" says 0 "default network, topology 2x2" "$data/loop.trc" -t 4 -t 2x2
check "a line of processors for a program of two dimensions" says 0 "entered 1, 4 processors" "$data/shadow.trc" -t 4 -t 2x2
check "more processors than can be predicted" says 1 "4096 processors that can be predicted" "$data/shadow.trc" -t 64x65
check "what is not modelled is said" says 0 "setelw_: weights of elements are not modelled" "$data/copy_async.trc" -t 4
sed '/BufferHeader=f1;/,/ConstArray/s/ConstArray\[0\]=2/ConstArray[0]=8/' "$data/buffers.trc" >"$folder/beyond.trc"
check "a buffer of elements that are not there" says 1 "elements 8..8 of dimension 1; allowed: 0..7" "$folder/beyond.trc" -t 4
check "predictions side by side" says 0 "== comparison, seconds ==" "$data/loop.trc" -t 4 -t 2x2
check "unknown call: warned of, success" says 0 "warning: $data/main.trc:7: unknown call foo_" "$data/main.trc" -t 4
check "depth" says 0 "whole program" "$data/intervals.trc" -t 4 -d 0
check "depth leaves the deeper ones out" bash -c "! '$tool' '$data/intervals.trc' -t 4 -d 1 | grep sequential"
# Twelve intervals of 0.1 ms to 1.2 ms one after the other: the ten longest.
awk 'BEGIN {
    for (i = 1; i <= 12; i++) {
        printf "call_binter_ TIME=0 LINE=%d FILE=a.cdv\nnfrag=%d; index=1;\n\nret_binter_ TIME=0 LINE=%d FILE=a.cdv\n\n", i, i, i
        printf "call_getrnk_ TIME=%.6f LINE=%d FILE=a.cdv\nret_getrnk_ TIME=0 LINE=%d FILE=a.cdv\n\n", i / 1e4, i, i
        printf "call_einter_ TIME=0 LINE=%d FILE=a.cdv\nnfrag=%d; nline=%d;\n\nret_einter_ TIME=0 LINE=%d FILE=a.cdv\n\n", i, i, i, i
    }
}' | sed '1i call_getrnk_ TIME=0 LINE=1 FILE=a.cdv\nret_getrnk_ TIME=0 LINE=1 FILE=a.cdv\n' >"$folder/many.trc"
summary=$("$tool" "$folder/many.trc" -t 1 --summary 2>&1)
if [ "$("$tool" "$folder/many.trc" -t 1 | grep -c '  entered ')" = 13 ] && [ "$(grep -c '  entered ' <<<"$summary")" = 11 ] &&
    [[ $summary == *"a.cdv:3 "* && $summary == *"a.cdv:12 "* && $summary != *"a.cdv:1 "* && $summary != *"a.cdv:2 "* ]]; then
    pass "summary"
else
    fail "summary" "$summary"
fi
check "a summary is text" says 2 "--summary goes with --format text" "$data/loop.trc" -t 4 --summary -f json
check "no trace" says 1 "no Lib-DVM trace" "$data/network4.par" -t 4
check "no such file" says 1 "/nonexistent" /nonexistent
check "bad parameter file" says 1 "allowed: type, start time, send byte time" "$data/loop.trc" -p "$data/loop.trc"
check "unknown format" says 2 "allowed: text json html" "$data/loop.trc" -f pdf
check "bad topology" says 2 "--topology 0x2" "$data/loop.trc" -t 0x2
check "bad depth" says 2 "--depth -1" "$data/loop.trc" -d -1
check "no argument" says 2 "one trace is needed"
check "a folder" says 2 "is a folder: traces of MPI programs are for topo-predict" "$folder" -t 4
check "help" says 0 "usage: topo-predict-dvm TRACE" --help
# topo-predict itself.
dvm_tool=$tool tool=$mpi_tool
check "a folder without a trace" says 1 "no trace" "$folder" -m "node:2 core:2"
check "a machine that is none" says 2 "--machine" "$folder" -m "rack"
check "an algorithm that does not exist" says 2 "--allgather fastest" "$folder" -a fastest
check "speed" says 2 "--speed 0" "$folder" -s 0
check "an option that no machine follows" says 2 "--speed after the last machine" "$folder" -m "node:2 core:2" -s 2
check "an algorithm that no machine follows" says 2 "--algorithm after" "$folder" -m "node:2 core:2" --algorithm bcast=native
for option in "-m node:4" -T "-a ring" "-s 2"; do
    # shellcheck disable=SC2086 # two words
    check "$option with a Lib-DVM trace" says 2 "is no folder: of a Lib-DVM trace, machines are --par and --topology" \
        "$data/loop.trc" $option
done
check "a Lib-DVM trace goes to topo-predict-dvm" says 0 "whole program" "$data/loop.trc"
for options in "-t 4" "-t4 -t 2x2" "--topology=4 -d 0" "-p $data/network4.par" "--par $data/network4.par --format json"; do
    # shellcheck disable=SC2086 # words
    check "and says what that says: $options" test "$("$tool" "$data/loop.trc" $options 2>&1; echo $?)" = \
        "$("$dvm_tool" "$data/loop.trc" $options 2>&1; echo $?)"
done
check "a folder with shapes" says 2 "is a folder: traces of MPI programs are for topo-predict" "$folder" -t 4
check "help speaks of MPI" says 0 "usage: topo-predict FOLDER" --help
check "and of no Lib-DVM options" bash -c "! '$tool' --help | grep -E -- '--par |--topology'"
cp "$tool" "$folder/topo-predict"
tool=$folder/topo-predict
check "alone, it says what is missing" says 1 "topo-predict-dvm, which reads traces of Lib-DVM, cannot be run from $folder/" "$data/loop.trc"
cp "$dvm_tool" "$folder/topo-predict-dvm"
check "installed, it lies beside it" says 0 "whole program" "$data/loop.trc"
tool=$dvm_tool
head -n 60 "$data/shadow.trc" >"$folder/cut.trc"
check "a cut trace is still reported" says 1 "whole program" "$folder/cut.trc" -t 2x2
if command -v python3 >/dev/null; then
    check "JSON" python3 - "$tool" "$data" <<'PY'
import json, subprocess, sys
tool, data = sys.argv[1:]
out = json.loads(subprocess.check_output([tool, data + "/reduction.trc", "-p", data + "/network4.par", "-f", "json"]))
program = out["predictions"][0]["program"]
assert abs(program["per_processor"][3]["Reduction_synch"] - 200e-6) < 1e-12, program
assert program["operations"]["reduction"] == 2, program
assert abs(program["Execution_time"] - 1759.6e-6) < 1e-12, program
PY
fi
"$tool" "$data/shadow.trc" -p "$data/network22.par" -p "$data/grid22.par" -f html -o "$folder/page.html"
if command -v python3 >/dev/null; then
    check "every interval is a target, every link has one" python3 - "$folder/page.html" <<'PY'
import re, sys
page = open(sys.argv[1]).read()
targets, links = re.findall(r'id="([^"]+)"', page), re.findall(r'href="#([^"]+)"', page)
assert len(targets) == len(set(targets)) and set(links) <= set(targets), set(links) - set(targets)
intervals = [one for one in targets if one.startswith("i") and one != "intervals"]
assert len(intervals) == page.count("<details id=") == 2 * 4, intervals
assert set(intervals) <= set(links), set(intervals) - set(links)
PY
fi
check "the page needs no network" bash -c "! grep -Eq 'https?://|src=' '$folder/page.html'"
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -n "$browser" ]; then
    flags=(--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking
        --disable-component-update --disable-sync "--user-data-dir=$folder/browser")
    # The browser's own view of the page: all intervals, both machines, no fallen apart tables.
    timeout 60 "$browser" "${flags[@]}" --dump-dom "file://$folder/page.html" >"$folder/dom.html" 2>/dev/null
    check "the browser shows both machines" test "$(grep -c '<h2 id="p[01]"' "$folder/dom.html")" = 2
    check "and every interval" test "$(grep -o '<b>user g.cdv:[123]0</b>' "$folder/dom.html" | wc -l)" = 6
    check "balanced" test "$(grep -o '<details' "$folder/dom.html" | wc -l)" = "$(grep -o '</details>' "$folder/dom.html" | wc -l)"
else
    skip "the page in a browser" "chromium is not installed"
fi
finish
