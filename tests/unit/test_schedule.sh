# topo-dump schedule: every source of a matrix, every scheduler, every format; bad arguments and files.
. "$TOP_SRCDIR/tests/unit/dump.sh"
words=(schedule)
# sent() adds up the pieces.
definitions="
f = j['figures']
def sent():
    all = {}
    for step in j['cs']:
        for s, r, o, w in step:
            assert all.get((s, r), 0) == o, 'parts follow one another'
            all[s, r] = o + w
    return all
com = {(s, r): w for s, r, w in j['com']}
others = {(s, r): w for (s, r), w in com.items() if s != r}
free = all(len({r for s, r, o, w in step}) == len(step) for step in j['cs'])"

whole='sent() == com and sum(com.values()) == j["total"] and f[j["scheduler"]]["steps"] == len(j["cs"])'
# As the library has it: what ranks have for themselves goes nowhere, but for css's table.
for scheduler in sdrc drc ggp ggp_first ggp_heavy ggp_merged; do
    holds "$scheduler of a random matrix" "${whole/== com/== others} and others != com and free and f['$scheduler']['conflicts'] == 0" \
        --random N=16,E=4N,total=1M,seed=3 --synthetic "node:4 core:4" --scheduler $scheduler
done
for scheduler in sdrc drc ggp_first css; do
    holds "$scheduler of a random matrix, all of it" "$whole and free and f['$scheduler']['conflicts'] == 0" \
        --random N=16,E=4N,total=1M,seed=3 --synthetic "node:4 core:4" --scheduler $scheduler --own
done
# What the document's GGP does with this graph of 64 messages, and what the library does by itself.
holds "ggp by the document: unit 1, first matchings" "f['ggp_first']['steps'] > 50 and j['unit'] == 1 and f['ggp_first']['duration'] == f['ggp_first']['bound']" \
    --random N=16,E=4N,total=512M,seed=1 --unit 1 --own
holds "ggp by the library: few steps" "f['ggp']['steps'] == f['ggp_heavy']['steps'] < f['ggp_first']['steps'] and j['unit'] == 10000" \
    --random N=16,E=4N,total=512M,seed=1
holds "no schedule: conflicts are counted" \
    "$whole and not free and f['direct']['conflicts'] == 18 and f['css']['conflicts'] == 0" \
    --redistribute "cyclic(4)@9 -> cyclic(5)@6" --scheduler direct
holds "the golden table of five steps" "$whole and free and len(j['cs']) == 5 and j['redistribution']['m'] == 9" \
    --redistribute "cyclic(2)@6 -> cyclic(3)@6" --access 2,1,3,4 --length 36
holds "css algorithm 1 is at the bound" \
    "f['css']['form'] == 'algorithm 1' and f['css']['duration'] == f['css']['bound'] == j['total'] / 5" \
    --redistribute "cyclic(3)@5 -> cyclic(4)@5"
holds "ggp at its bound, parts of 4 KiB, three at a time" \
    "${whole/== com/== others} and all(len(step) <= 3 for step in j['cs']) and all(o % 4096 == 0 for t in j['cs'] for s, r, o, w in t)" \
    --random N=16,E=4N,total=4M --scheduler ggp --k 3 --unit 4K
holds "--only runs one" "f['ggp'] == {'left_out': '--only'} and 'steps' in f['drc']" --random N=8,E=20,total=1K --only
holds "figures of links with a machine" "f['drc']['link_duration'] >= f['drc']['link_bound'] > 0" \
    --random N=16,E=N^2,total=1M --synthetic "node:4 core:7,5,3,1"

printf '1,2,0\n0,0,4K # comment\n' >"$made/table.csv"
printf 'sender,receiver,bytes\n0,1,4\n2,0,1\n' >"$made/list.csv"
printf '%%%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 1 7\n2 3 5\n' >"$made/matrix.mtx"
holds "CSV table" "$whole and com == {(0, 0): 1, (0, 1): 2, (1, 2): 4096}" --matrix "$made/table.csv" --own
holds "CSV list" "$whole and com == {(0, 1): 4, (2, 0): 1} and j['senders'] == 3" --matrix "$made/list.csv"
holds "MatrixMarket" "$whole and com == {(0, 0): 7, (1, 2): 5} and j['receivers'] == 3" --matrix "$made/matrix.mtx"

for format in text json svg; do
    check "$format into a file" "$dump" schedule --random N=12,E=40,total=1M --format $format -o "$made/$format"
done
check "the picture is XML" python3 -c "import xml.dom.minidom; xml.dom.minidom.parse('$made/svg')"
# What is hatched is as wide as what is sent while another sender sends to the same receiver.
for arrays in "cyclic(4)@9 -> cyclic(5)@6" "cyclic(3)@5 -> cyclic(4)@5" "cyclic(2)@12 -> cyclic(7)@5"; do
    "$dump" schedule --redistribute "$arrays" --scheduler css --format svg >"$made/meet.svg"
    "$dump" schedule --redistribute "$arrays" --scheduler css --format json >"$made/meet.json"
    check "the picture marks what meets: $arrays" python3 - "$made/meet.svg" "$made/meet.json" <<'PY'
import json, re, sys
figures = json.load(open(sys.argv[2]))["figures"]
longest = max(figures["direct"]["duration"], figures["css"]["duration"])
wide = [float(width) for width in re.findall(r'width="([0-9.]+)"[^>]*url\(#conflict\)[^>]*><title>\d+ senders to', open(sys.argv[1]).read())]
sent = sum(wide) * longest / 960
assert abs(sent - figures["direct"]["contention"]) < 0.01 * sent + 0.1 and sent > 0, (sent, figures["direct"]["contention"])
PY
done
if "$dump" schedule --redistribute "cyclic(3)@5 -> cyclic(4)@5" --access 3,4,2,1 | grep -q '^  Q4 3 2 2 2 3$'; then
    pass "COM as text"
else
    fail "COM as text" "no row 3 2 2 2 3"
fi

printf '1,2\n3\n' >"$made/short.csv"
printf '1,2\n3,x\n' >"$made/word.csv"
refused 1 'short.csv:2: ' --matrix "$made/short.csv"
refused 1 "word.csv:2: 'x'" --matrix "$made/word.csv"
refused 1 'none.csv' --matrix "$made/none.csv"
refused 2 'one of' --format text
refused 2 'one of' --matrix "$made/table.csv" --random N=4
refused 2 'random' --random N=4,E=17
refused 2 'random' --random E=4
# Rows from 2 to 3 processes, columns of 9 from 2 blocks of 5 to 4 blocks of 3: 10 and 8 elements' worth of pairs.
holds "an array of two dimensions" "$whole and j['senders'] == 4 and j['receivers'] == 12 and j['total'] == 12 * 9 and [d['x'] for d in j['dimensions']] == [4, 3]" \
    --redistribute "cyclic(3)@2 x block@2 -> cyclic(4)@3 x block@4" --length 12x9
holds "a shift backwards" "$whole and j['redistribution']['access'] == [1, -1, 1, 0] and [0, 4] in [m[:2] for m in j['com']]" \
    --redistribute "cyclic(3)@5 -> cyclic(4)@5" --access 1,-1,1,0
holds "a length that is not whole periods, by its recurrence" "$whole and j['figures']['css']['form'] == 'algorithm 1' and j['figures']['css']['beyond'] > 0" \
    --redistribute "cyclic(3)@5 -> cyclic(4)@5" --length 618
holds "what takes long is left out" "all('takes long' in j['figures'][s]['left_out'] for s in ('ggp', 'ggp_first', 'ggp_heavy'))" \
    --random "N=160,E=20001" --scheduler sdrc
refused 2 'redistrib' --redistribute "cyclic(3) -> cyclic(4)"
refused 2 'access' --redistribute "cyclic(3)@5 -> cyclic(4)@5" --access 1,2
refused 2 'redistribute' --random N=4 --length 5
refused 2 'block' --redistribute "block@5 -> cyclic(4)@5"
refused 2 '2 dimensions' --redistribute "cyclic(3)@2 x block@2 -> block@4"
refused 2 '600x400' --redistribute "cyclic(3)@2 x block@2 -> block@2 x block@2" --length 5
refused 2 'length' --redistribute "cyclic(3)@5 -> cyclic(4)@5" --length 0
refused 2 'allowed: direct sdrc drc' --random N=4 --scheduler best
refused 2 'text json svg' --random N=4 --format dot
refused 2 'needs a machine' --random N=4 --scheduler ggp_merged
refused 2 'synthetic' --random N=4,E=8 --synthetic "node:2 core:3"
refused 2 'senders' --redistribute "cyclic(3)@5 -> cyclic(4)@4" --synthetic "node:2 core:2"
refused 2 '1\.\.' --random N=4 --k 0
refused 2 'unit' --random N=4 --unit 0
refused 2 'extra' --random N=4 extra
refused 2 'needs a value' --random
refused 1 'picture' --random N=256,E=N^2 --format svg --only
check "the figures alone as JSON" python3 -c '
import json, sys
short = json.loads(sys.argv[1])
assert "cs" not in short and "com" not in short and short["messages"] == 256 and short["figures"]["drc"]["steps"] > 0' \
    "$("$dump" schedule --random N=64,E=4N,seed=1 --summary --format json)"
check "schedule --help" "$dump" schedule --help
summary=$("$dump" schedule --random N=64,E=4N,seed=1 --summary)
if [[ $summary == *"64 senders"* && $summary == *scheduler*duration* && $summary != *COM* && $summary != *"CS by"* ]]; then
    pass "summary"
else
    fail "summary" "$summary"
fi
finish
