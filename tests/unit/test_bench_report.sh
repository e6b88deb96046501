#!/bin/bash
# topo-bench report: the page and its charts from JSON, runs merged, what is no report, and what happens where gnuplot or
# Python is missing.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
bench=${TOP_BUILDDIR:-$PWD}/tools/topo-bench/topo-bench
built "$bench"
command -v python3 >/dev/null || { skip "topo-bench report" "no python3"; finish; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

written() { python3 "$here/write_report.py" "$@"; } # FILE [STATEMENT]...
# shows FILE TEXT...: the texts are in it.
shows() {
    local file=$1 text
    shift
    for text in "$@"; do grep -qF -- "$text" "$file" || { echo "no '$text' in:"; cat "$file"; return 1; }; done
}
# reported OPTION... FILE...: the page in `page`, what is said in `said`.
reported() { "$bench" report --page page "$@" 2>said; }

written a.json 'r["sizes"][0]["results"][1]["correct"] = True'
written b.json 'r["placement"] = "by node"' 'r["sizes"][1]["bytes"] = 1048576' 'r["sizes"][1]["results"][1].update(times(30000))' \
    'r["sizes"][0]["results"][1]["correct"] = False' 'r["sizes"][1]["results"][2]["failed"] = True'
check "page" reported --command "make it so" --note "A machine." --note "Another." a.json b.json
check "its head, summary and tables" shows page '    make it so' '- A machine.' '- Another.' \
    '16 ranks on 4 nodes (4 4 4 4), by slot; contiguous; Open MPI 9.9.9; links: node 1000.0 Mbit/s nominal, 960.0 Mbit/s measured.' \
    '| cluster | placement | 64 | 64K | 1M | geometric mean |' '| 4x4 | by slot | 0.50 | 0.50 | - | 0.50 |' \
    '| 4x4 | by node | 0.50 | - | **1.50** | 0.87 |' '| 4x4 | by node | 40.00 | - | 6.00 |' \
    '| 64 | 400 | 200 | ring | 300 ring<&> | 5.0 | 0.50 | 40.00 |' '| 64 | 400 | 200 **wrong result** | ring |' \
    'ring<&> at 1048576 bytes: **MPI error**.'
check "the statistic decides" bash -c "python3 '$here/write_report.py' min.json 'r[\"statistic\"] = \"minimum\"' &&
    '$bench' report --page min min.json 2>said && grep -qF '| 64 | 200 | 100 | ring | 150 ring<&> |' min &&
    grep -qF 'the minimum of the samples' min"
check "a summary alone" bash -c "'$bench' report -s x,allgather a.json >short && grep -q '^### allgather\$' short && ! grep -q '^| 64 |' short"
check "no report among the arguments" bash -c "'$bench' report 2>&1 | grep -q '^topo-bench: report: a JSON file is missing'"

# Took the best at one size, native in place of one four times as fast at the other.
written choice.json 'r["sizes"][0]["auto"] = "ring<&>"' 'r["sizes"][1]["auto"] = "native"' \
    'r["sizes"][1]["results"][2].update(times(5000))'
reported choice.json
check "what the choice cost" shows page ': geometric mean 2.00, at most 4.00, within 5 % in 1 of 2 cases.'

# Three runs by slot with one by node between them: the second lacks an algorithm, the third is slow as a whole.
written 1.json
written 2.json 'r["placement"] = "by node"'
written 3.json 'r["sizes"][0]["results"][2]["algorithm"] = "another"' 'r["sizes"][0]["results"][1].update(times(220))' \
    'r["sizes"][0]["bound_us"] = 7'
written 4.json 'r["sizes"][0]["results"][1].update(times(900), correct=False)' 'r["sizes"][0]["results"][2].update(times(500))' \
    'r["sizes"][0]["bound_us"] = 6' 'r["levels"][0]["measured"] = 60e6'
reported 1.json 2.json 3.json 4.json
check "runs of one thing: medians of their medians" shows page \
    '| 64 | 400 | 220 **wrong result** | ring | 400 ring<&> | 6.0 | 0.55 | 36.67 |' '; 3 runs; links: node 1000.0 Mbit/s nominal, 960.0' \
    "the median of the runs' medians" '| 64 | 400 | 200 | ring | 300 ring<&> | 5.0 |'
check "two sections are left" test "$(grep -c '^### allgather, 4x4' page)" = 2

# refused STATUS FILE: that exit status and one line that names the file, no page.
refused() {
    rm -f none
    "$bench" report --page none "$2" 2>said
    local status=$?
    [ $status -eq "$1" ] && [ "$(wc -l <said)" -eq 1 ] && grep -q "^topo-bench: $2" said && [ ! -e none ] ||
        { echo "exit status $status"; cat said; false; }
}
bad=('' '{' '[]' '{}' '7' '{"tool": "topo-bench"}' '{"tool": "topo-bench", "levels": [], "sizes": []}'
    '{"tool": "topo-bench", "levels": [], "sizes": [{"bytes": 1}]}'
    '{"tool": "topo-bench", "levels": [], "sizes": [{"bytes": 1, "results": [{"algorithm": 7}]}]}'
    '{"tool": "topo-bench", "levels": [], "sizes": [{"bytes": 0, "results": [{"algorithm": "x"}]}]}'
    '{"tool": "other", "levels": [], "sizes": [{"bytes": 1, "results": [{"algorithm": "x"}]}]}'
    '{"tool": "topo-bench", "levels": [], "sizes": [{"bytes": 1, "results": [{"algorithm": "x", "median_us": 1e999}]}]}'
    '{"tool": "topo-bench", "levels": [], "sizes": [{"bytes": 1, "results": [{"algorithm": "x", "median_us": NaN}]}]}')
for text in "${bad[@]}"; do
    printf '%s' "$text" >bad.json
    check "no report: $text" refused 2 bad.json
done
check "no file" refused 1 nowhere.json
mkfifo pipe.json
check "a FIFO" refused 1 pipe.json
# What a fuzzer found worth keeping: a page, or one line.
fed() {
    "$bench" report --page fed "$1" >out 2>said
    local status=$?
    [ $status -le 2 ] && [ ! -s out ] && [ "$(wc -l <said)" -le 1 ] && { [ $status -eq 0 ] || grep -q '^topo-bench: ' said; } ||
        { echo "exit status $status"; head -c 2000 said; false; }
}
for file in "$here"/../data/topo-bench/*; do check "input ${file##*/}" fed "$file"; done

mkdir bare
for tool in python3 bash; do ln -s "$(python3 -c 'import sys; print(sys.executable)' | sed "s|.*|$([ $tool = bash ] && command -v bash || echo '&')|")" bare/$tool; done
rm -f a.svg
PATH=$folder/bare reported a.json
check "without gnuplot: the page, and a line that names it" bash -c \
    "[ $? -eq 0 ] && grep -q '^topo-bench: gnuplot is missing' said && [ \$(wc -l <said) -eq 1 ] && grep -q '^| 64 |' page && ! grep -q '!\[' page && [ ! -e a.svg ]"
PATH=$folder/none reported a.json
check "without Python: a line that names it" bash -c "[ $? -eq 1 ] && grep -q '^topo-bench: python3 is missing' said && [ \$(wc -l <said) -eq 1 ]"

if ! command -v gnuplot >/dev/null; then
    skip "charts" "no gnuplot"
    finish
fi
# drawn FILE CONDITION: Python on the picture: texts, titles (shown on hovering), points, `count` of a tag's elements with
# some attribute, all of it as `svg`.
drawn() {
    python3 - "$@" <<'PY'
import sys, xml.etree.ElementTree as tree
svg = open(sys.argv[1], encoding="utf-8").read()
root = tree.fromstring(svg)
tag = lambda element: element.tag.split("}")[1]
texts = [e.text or "" for e in root.iter() if tag(e) == "text"]
titles = [e.text for e in root.iter() if tag(e) == "title"]
points = [e for e in root.iter() if tag(e) == "use" and "scale" in e.get("transform", "")]
dashed = [e for e in root.iter() if tag(e) == "path" and e.get("stroke-dasharray")]
assert "nan" not in svg and "inf" not in svg, svg
assert eval("(%s)" % sys.argv[2]), (sys.argv[2], texts, titles, len(points), len(dashed))
PY
}
reported --charts chart- --command "make it so" a.json b.json
check "a chart for each, beside the page" shows page '](chart-a.svg)' '](chart-b.svg)'
check "title, legend and axes" drawn chart-a.svg \
    'all(t in texts for t in ("4x4: allgather, 16 ranks on 4 nodes (4 4 4 4), by slot", "native", "auto", "ring<&>", "bound of the links",
        "64", "64K", "100 \u00b5s", "1 ms", "bytes of a rank\u2019s block"))'
check "a point for every time, which it tells on hovering" drawn chart-a.svg \
    'len(points) == 5 == len(titles) and "auto, 64 bytes: 200.0 \u00b5s" in titles and "native, 65536 bytes: 20000.0 \u00b5s" in titles'
check "the bound is dashed, and enters at the axis" drawn chart-a.svg \
    'len(dashed) == 1 and 200 < float(dashed[0].get("d").split("M")[2].split(",")[0]) < 400 and "10 \u00b5s" not in texts'
check "the same picture each time" bash -c "cp chart-a.svg first.svg && '$bench' report --page page --charts chart- a.json && cmp first.svg chart-a.svg"
written one.json 'del r["sizes"][1]'
reported one.json
check "one size makes a chart too" drawn one.svg 'len(points) == 3 and "64" in texts'
written nothing.json 'for s in r["sizes"]: s["bound_us"] = 0; s["results"] = [{"algorithm": "native", "samples": 0}] * 3'
check "nothing measured: a page without a chart, and a line" bash -c \
    "'$bench' report --page page nothing.json 2>said && grep -q '^topo-bench: nothing.json: nothing was measured' said && ! grep -q '!\[' page"
written packets.json 'for s in r["sizes"]:
    for result, name in zip(s["results"], ("cyclic@0", "cyclic@4K", "cyclic@1M")): result.update(times(s["bytes"] / 100), algorithm=name)'
reported packets.json
check "rate over packet: a line for each size, dashed where there is no packet" drawn packets.svg \
    '"MB/s" in texts and "4K" in texts and "cyclic, 64K" in texts and len(points) == 4 and len(dashed) == 2 and "cyclic@1M, 64K: 100.0 MB/s" in titles'
# A legend that is long stands below, all of it; a long title is smaller.
written long.json 'names = ["native", "recursive_doubling_renumbered_exch"] + ["algorithm_%d" % i for i in range(30)]' \
    'for s in r["sizes"]: s["results"] = [dict(times(100 + i), algorithm=name) for i, name in enumerate(names)]' 'r["label"] = "a cluster " * 12'
reported long.json
check "a long legend is whole" drawn long.svg '"recursive_doubling_renumbered_exch" in texts and
    all("algorithm_%d" % i in texts for i in range(30)) and float(root.get("height")) > 700'
check "a long title is on the picture" drawn long.svg "float(svg.split('a cluster')[0].rsplit('font-size=\"', 1)[1].split('\"')[0]) < 10"
# Names are what people type: nothing in them is a command of gnuplot, a shell or SVG.
written names.json "r['label'] = '\`touch pwned\` @x' + '\\'' * 80 + '\"; set output \"pwned\" \\n {/Symbol a} </svg>'" \
    "for s in r['sizes']: s['results'][2].update(times(70), algorithm='system(\"touch pwned\")\`touch pwned\`\\'<&>\"')"
reported names.json
check "names do nothing but stand there" drawn names.svg \
    '"system(\u201dtouch pwned\u201d)`touch pwned`\u2019<&>\u201d" in texts and any(t.startswith("`touch pwned` @x") for t in texts)'
check "nothing was done" test ! -e pwned
# The bars of tests/cluster/schedules: three forms under three barriers, of which one was not measured.
for barrier in none send; do
    written "$barrier.json" "r['label'] = 'barrier $barrier, 4N messages'" 'del r["sizes"][1]' \
        'for result, name, ratio in zip(r["sizes"][0]["results"], ("native", "direct", "drc"), (1, 0.5, 0.4)): result.update(algorithm=name, ratio_native=ratio)'
done
check "schedules" bash -c "python3 '$here/../cluster/schedules.py' bars.svg none.json send.json >page"
check "their table" shows page '| direct | 0.50 | 0.50 | - |' '| drc | 0.40 | 0.40 | - |' 'native takes 0.4 ms' \
    "direct's time in the same run 0.80 (drc, none), 0.80 (drc, send): it pays here." '](bars.svg)'
check "their bars" drawn bars.svg '"direct, barrier none: 0.50" in titles and "drc, barrier send: 0.40" in titles and
    "barrier sendrecv" in texts and svg.count("<polygon") >= 4'
finish
