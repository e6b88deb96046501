# The steps of MPI_Alltoallv's schedules as messages leave the ranks: a tool below the library records them, and they are
# compared with tables worked out by hand from docs/REFERENCES.md (Schedule 2 to 4, Redistribution 3 to 6).
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
tool=$TOP_BUILDDIR/tests/preload/.libs/recording_tool.so
program=$TOP_BUILDDIR/tests/preload/table
export MPI_TIMEOUT=60

# recorded TABLE [NAME=VALUE]...: what each rank sends, "rank R: TO:BYTES ... |", in the order of ranks; then the library's lines.
recorded() {
    local table=$1 rows settings=() out
    rows=($table)
    shift
    while [[ $# -gt 0 ]]; do settings+=(-x "$1"); shift; done
    out=$(apart mpi "${#rows[@]}" -x LD_PRELOAD="$library:$tool" -x "TOPOMPI_MACHINE=synthetic:node:${#rows[@]} core:1" "${settings[@]}" \
        "$program" "$table")
    grep -q '^ok$' <<<"$out" && sort <<<"$out"
}

# sends NAME TABLE EXPECTED [NAME=VALUE]...: EXPECTED has the receivers of each rank in order, rows apart by ";".
sends() {
    local name=$1 table=$2 expected=$3 out
    shift 3
    out=$(recorded "$table" "$@" | sed -n 's/^rank [0-9]*: *//p' | sed -E 's/:[0-9]+//g; s/ *\|//g' | paste -sd ';' | sed 's/;/; /g')
    if [ "$out" = "$expected" ]; then pass "$name"; else fail "$name" "'$out', not '$expected'"; fi
}

# says NAME TABLE PATTERN [NAME=VALUE]...: a line of the library holds the pattern.
says() {
    local name=$1 table=$2 pattern=$3 out
    shift 3
    out=$(recorded "$table" "$@")
    if grep -qE -- "$pattern" <<<"$out"; then pass "$name"; else fail "$name" "no '$pattern' in: $out"; fi
}

# steps NAME TABLE ALGORITHM MOST: waiting after each step for all of its messages, every message is sent whole, and no rank
# takes more than MOST steps.
steps() {
    local name=$1 table=$2 out
    out=$(recorded "$table" "TOPOMPI_ALLTOALLV=$3" TOPOMPI_ALLTOALLV_SYNC=sendrecv | grep '^rank' | TABLE="$table" MOST=$4 python3 -c '
import os, sys
table = [[4000 * int(digit) for digit in row] for row in os.environ["TABLE"].split()]
sent = [[0] * len(table) for _ in table]
most = 0
for line in sys.stdin:
    rank, rest = line[5:].split(":", 1)
    steps = [step.split() for step in rest.split("|") if step.split()]
    most = max(most, len(steps))
    for step in steps:
        for piece in step:
            to, count = map(int, piece.split(":"))
            sent[int(rank)][to] += count
wrong = [(i, j) for i in range(len(table)) for j in range(len(table)) if i != j and sent[i][j] != table[i][j]]
print("ok" if not wrong and most <= int(os.environ["MOST"]) else f"{most} steps, wrong: {wrong}")')
    if [ "$out" = ok ]; then pass "$name"; else fail "$name" "$out"; fi
}

# cyclic(3) to cyclic(4) on five: m=4, n=3, so row 4k mod 5 of CS is (0 1 2 3 4) + 3k; what a rank has for itself is left out.
arrays='33222 22332 32223 23322 22233'
css='1 2 3 4; 2 3 4 0; 4 0 1 3; 1 2 4 0; 3 0 1 2'
# The same by DRC. Without the diagonal deg = 4; two steps by decreasing weight (0-1 1-2 2-4 4-3 3-0, then 1-3 2-0 3-1 0-2) leave
# rank 4 three messages, a third (3-2 2-3 4-0 1-4) leaves two each; 3-4 0-3 4-1 1-0 and 0-4 2-1 4-2 are the colours.
drc='1 2 3 4; 2 3 4 0; 4 0 3 1; 0 1 2 4; 3 0 1 2'
sends "css, a redistribution of whole periods" "$arrays" "$css" TOPOMPI_ALLTOALLV=css
sends "drc, the same" "$arrays" "$drc" TOPOMPI_ALLTOALLV=drc
says "css says what it does" "$arrays" \
    'alltoallv by css: algorithm 1; the table repeats by \([0-4], [0-4]\) but for 0.0 % of its bytes; 5 steps, 0 of them uneven, 1.000 of' \
    TOPOMPI_ALLTOALLV=css TOPOMPI_VERBOSE=1
says "css is counted as css" "$arrays" 'alltoallv +[0-9K]+ +[0-9]+ +css ' TOPOMPI_ALLTOALLV=css TOPOMPI_STATS=1

# 126 elements: twice the table, and elements 0 to 5 more, 3 from 0 to 0, 1 from 1 to 0 and 2 to 1. They ride along.
remainder='96444 56664 64446 46644 44466'
sends "css, a remainder" "$remainder" "$css" TOPOMPI_ALLTOALLV=css
says "css tells of the remainder" "$remainder" \
    'alltoallv by css: algorithm 1; the table repeats by \([0-4], [0-4]\) but for [1-9][0-9.]* % of its bytes; 5 steps' \
    TOPOMPI_ALLTOALLV=css TOPOMPI_VERBOSE=1

# A path 1-0-2-3-0 of weights 5 3 3 4: by weight alone it takes three steps, 0-1 and 3-0, 0-2, 3-2; its two colours are 0-1 and
# 3-2, 0-2 and 3-0.
path='0530 0000 0000 4030'
sends "sdrc, a path" "$path" '1 2; ; ; 0 2' TOPOMPI_ALLTOALLV=sdrc
sends "drc, a path" "$path" '1 2; ; ; 2 0' TOPOMPI_ALLTOALLV=drc
says "css without a recurrence is drc, counted so" "$path" 'alltoallv +[0-9K]+ +[0-9]+ +drc ' TOPOMPI_ALLTOALLV=css TOPOMPI_STATS=1
says "css without a recurrence says so" "$path" 'alltoallv by css: drc: shorter than what the recurrence gives; 2 steps' \
    TOPOMPI_ALLTOALLV=css TOPOMPI_VERBOSE=1

# Two permutations, 0-1-2-0 of 2 and 0-2-1-0 of 5: the heavy one is peeled first, whole.
sends "ggp, heaviest matching first" '025 502 250' '2 1; 0 2; 1 0' TOPOMPI_ALLTOALLV=ggp TOPOMPI_ALLTOALLV_GGP=heavy
says "ggp, at most one message at a time" '025 502 250' 'alltoallv by ggp: heavy matchings, parts of [0-9]+ bytes; 6 steps' TOPOMPI_ALLTOALLV=ggp \
    TOPOMPI_ALLTOALLV_GGP_K=1 TOPOMPI_VERBOSE=1
says "ggp says by which matchings and parts" '025 502 250' 'alltoallv by ggp: first matchings, parts of 1 bytes; [23] steps' \
    TOPOMPI_ALLTOALLV=ggp TOPOMPI_ALLTOALLV_GGP=first TOPOMPI_ALLTOALLV_GGP_UNIT=1 TOPOMPI_VERBOSE=1

# dumped TABLE SCHEDULER [OPTION]...: what topo-dump has each rank send, piece by piece, as recorded() tells it.
dumped() {
    local table=$1 scheduler=$2 rows=($1)
    shift 2
    sed 's/[0-9]/&*4000,/g; s/, / /g; s/,$//' <<<"$table" | tr ' ' '\n' | python3 -c '
import sys
for line in sys.stdin: print(",".join(str(eval(cell)) for cell in line.split(",")))' >"$folder/table.csv"
    "$TOP_BUILDDIR/tools/topo-dump/topo-dump" schedule --matrix "$folder/table.csv" --synthetic "node:${#rows[@]} core:1" \
        --scheduler "$scheduler" --only --format json "$@" | python3 -c '
import json, sys
dump = json.load(sys.stdin)
for rank in range(dump["senders"]):
    print(" ".join("%d:%d" % (to, bytes) for step in dump["cs"] for sender, to, _, bytes in step if sender == rank))'
}

# as_dumped NAME TABLE SCHEDULER "OPTION..." [NAME=VALUE]...: the library sends what topo-dump shows, in its order.
as_dumped() {
    local name=$1 table=$2 ours shown
    shown=$(dumped "$table" "$3" $4)
    shift 4
    ours=$(recorded "$table" "$@" | sed -n 's/^rank [0-9]*: *//p' | sed -E 's/ *\|//g; s/ +$//')
    if [ -n "$shown" ] && [ "$ours" = "$shown" ]; then pass "$name"; else fail "$name" "'$ours', topo-dump has '$shown'"; fi
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
random='312950 047018 500273 681004 023790 916035'
as_dumped "ggp as topo-dump shows it" "$random" ggp "" TOPOMPI_ALLTOALLV=ggp
for form in first heavy merged; do
    as_dumped "ggp, $form, unit 1, as topo-dump shows it" "$random" ggp_$form "--unit 1" TOPOMPI_ALLTOALLV=ggp \
        TOPOMPI_ALLTOALLV_GGP=$form TOPOMPI_ALLTOALLV_GGP_UNIT=1
done
as_dumped "ggp, two at a time in parts of 3000 bytes, as topo-dump shows it" "$random" ggp_first "--unit 3000 --k 2" \
    TOPOMPI_ALLTOALLV=ggp TOPOMPI_ALLTOALLV_GGP=first TOPOMPI_ALLTOALLV_GGP_UNIT=3000 TOPOMPI_ALLTOALLV_GGP_K=2
for scheduler in sdrc drc; do
    as_dumped "$scheduler as topo-dump shows it" "$random" $scheduler "" TOPOMPI_ALLTOALLV=$scheduler
done
says "ggp, a number of messages that is none" '025 502 250' 'TOPOMPI_ALLTOALLV_GGP_K=none: allowed: auto, or a number of messages' \
    TOPOMPI_ALLTOALLV_GGP_K=none

# Example 3 of Redistribution 6 takes five steps by css. Whole messages in as many steps as the busiest rank has of them, or
# one more by weight alone.
example='121212 000000 121212 121212 000000 121212'
steps "css, five steps of several messages" "$example" css 5
for scheduler in drc sdrc; do steps "$scheduler, whole messages" "$example" $scheduler 6; done
steps "ggp, all parts" "$example" ggp 8

# What separates the steps: with uneven, the default of css, only those whose senders' totals differ.
waits() {
    local name=$1 table=$2 expected=$3 out
    shift 3
    out=$(recorded "$table" "$@" | grep -o '|' | wc -l)
    if [ "$out" = "$expected" ]; then pass "$name"; else fail "$name" "$out waits, not $expected"; fi
}
waits "even steps are not separated" "$arrays" 5 TOPOMPI_ALLTOALLV=css
waits "all steps separated" "$arrays" 20 TOPOMPI_ALLTOALLV=css TOPOMPI_ALLTOALLV_SYNC=sendrecv
# 1-0 and 2-1 of 6, with 0-2 of 4; then 1-2 of 4, 0-1 and 2-0 of 2: all three wait after the first step, and at the end.
waits "waits after an uneven step" '024 604 260' 6 TOPOMPI_ALLTOALLV=drc TOPOMPI_ALLTOALLV_SYNC=uneven
waits "no waits but the last" '024 604 260' 3 TOPOMPI_ALLTOALLV=drc
finish
