# Reports in files: topo-dump stats compares two, and makes a page of one.
. "$TOP_SRCDIR/tests/unit/dump.sh"
words=(stats)
cd "$made" || exit 1

# report FILE PROGRAM RANKS VERSION OFF ROW...: of so many ranks; a row is operation, size, calls, algorithm, communicator, ms of a rank.
report() {
    python3 - "$@" <<'PYTHON'
import json, sys
file, program, ranks, version, off, *rows = sys.argv[1:]
ranks = int(ranks)
calls = []
for row in rows:
    operation, size, count, algorithm, name, ms = row.split(",")
    ns = round(float(ms) * 1e6)
    calls.append({"operation": operation, "bytes_at_most": int(size), "calls": int(count), "algorithm": algorithm, "communicator": name,
                  "communicator_ranks": ranks, "ranks": ranks, "bytes": 0, "ns": ns * ranks, "least_ns": ns, "least_rank": 0,
                  "most_ns": ns, "most_rank": 1, "waited_ns": ns // 2, "unknown_ns": 0, "ours": algorithm != "native"})
inside = sum(c["ns"] for c in calls)
total = {"calls": 0, "ours": 0, "ns": inside, "run_ns": ranks * 10**9, "measured": {"ns": 0, "native_ns": 0, "saved_ns": 0, "error_ns": 0},
         "waited_ns": inside // 2, "unknown_ns": 0, "unlisted_calls": 0, "load_balance": 0.9, "communication_efficiency": 0.8}
functions = [{"function": "MPI_Reduce_scatter_block_c", "calls": 4, "ranks": ranks, "ns": ranks * (7 if off == "off" else 5) * 10**6, "most_ns": 8 * 10**6, "most_rank": 1}]
rank = [{"rank": i, "node": i // 2, "host": "n%d" % (i // 2), "ended": 1, "run_ns": 10**9, "processor_ns": 10**9, "memory_bytes": 2**20,
         "ns": inside // ranks, "waited_ns": inside // ranks // 2, "unknown_ns": 0, "late_ns": 0} for i in range(ranks)]
json.dump({"topompi": "1.0", "version": int(version), "mpi": "MPI", "libraries": "none", "job": "%s, %d ranks on 2 nodes" % (program, ranks),
           "machine": "2 x node", "ranks": ranks, "nodes": 2, "off": off == "off", "rank": 0, "calls": [], "not_taken_over": {"MPI_Scan": 3},
           "all": {"calls": calls, "ranks": rank, "total": total, "functions": functions, "messages": [{"from": 0, "to": 1, "messages": 2, "bytes": 2048}], "sentences": ["rank 1 (n0) came late <b>"]}}, open(file, "w"))
PYTHON
}
version=$(sed -n 's/.*TOPO_REPORT_VERSION = \([0-9]*\).*/\1/p' "$TOP_SRCDIR/src/report/report.h")
report off.json solve 4 "$version" off bcast,8,40,native,world,1 allreduce,64,80,native,rows,20 alltoall,1024,8,native,world,2
report on.json solve 4 "$version" on bcast,8,40,tree,world,1.5 allreduce,64,60,leader,rows,10 allreduce,64,20,native,rows,2 barrier,1,4,node,world,0.25
"$dump" stats --diff off.json on.json >diff.txt
golden "what changed most is first" "$data/stats_diff.txt" <diff.txt
report other.json 'other"<i>' 8 "$version" on bcast,8,40,tree,world,1
"$dump" stats --diff off.json other.json >diff.txt
check "other programs and ranks are told" test "$(grep -c '^not the same' diff.txt)" = 2
check "which" grep -qx 'not the same ranks: 4, 8' diff.txt
report later.json solve 4 $((version + 1)) on
echo '{"tool": "topo-bench"}' >bench.json
echo 'rank,' >none.json
refused 1 "later.json: a report of version $((version + 1)), by TopoMPI 1.0; this is TopoMPI's of version $version" --diff off.json later.json
refused 1 "bench.json: no report of a job; topompi-run --stats=FILE.json writes them" --diff bench.json on.json
refused 1 "none.json:1: no report of a job: " --diff off.json none.json
refused 1 "nowhere.json: No such file" nowhere.json
refused 2 "two files are needed" --diff off.json
refused 2 "one folder or file is needed" off.json on.json
refused 2 "text alone" --diff --format html off.json on.json
refused 2 "for a folder" --remove off.json

# The page has everything inside, and what it is made of can be read again.
check "a page" "$dump" stats --format html -o other.html other.json
check "asks for nothing else" sh -c '! grep -nE "https?:|src=|href=|url\(|@import|fetch\(|innerHTML|document\.write" other.html'
check "its names are no markup" sh -c '! grep -nF "<i>" other.html && ! grep -nF "late <b>" other.html'
check "is closed" python3 - other.html <<'PYTHON'
import html.parser, sys
class Page(html.parser.HTMLParser):
    open, seen = [], []
    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        if tag not in ("meta",):
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.getpos())
page = Page()
page.feed(open(sys.argv[1]).read())
assert not page.open and page.seen.count("script") == 2 and "title" in page.seen, page.seen
PYTHON
check "its JSON" "$dump" stats other.html -o again.json
check "is the report's" python3 -c 'import json; assert json.load(open("again.json")) == json.load(open("other.json"))'
check "pages are compared, too" sh -c '"$0" stats --diff off.json other.html | grep -q "^bcast "' "$dump"

# In a browser: everything is shown, and nothing is wider than the window.
browser=$(command -v chromium || command -v chromium-browser)
if [ -n "$browser" ]; then
    for width in 1280 390; do
        sed 's#</body>#<script>document.body.dataset.wide = document.documentElement.scrollWidth - innerWidth;</script>&#' other.html >seen.html
        timeout 60 "$browser" --headless --no-sandbox --disable-gpu --window-size=$width,900 --user-data-dir="$made/profile" --dump-dom \
            "file://$made/seen.html" >dom.html 2>/dev/null
        check "$width px: the table" grep -qF '<td class="word">bcast</td>' dom.html
        check "$width px: what to do" grep -qF '<li>rank 1 (n0) came late &lt;b&gt;</li>' dom.html
        check "$width px: a bar a rank" test "$(grep -o '<div class="bar"' dom.html | wc -l)" = 8
        check "$width px: messages" grep -qF 'rank 0 to 1, 2K in 2 messages' dom.html
        check "$width px: nothing is wider" grep -qE '<body data-wide="(0|-[0-9]+)"' dom.html
    done
else
    skip "in a browser" "no chromium"
fi
finish
