# topo-dump plan: what ranks do in every form that has a plan, as text and JSON; bad arguments.
. "$TOP_SRCDIR/tests/unit/dump.sh"
words=(plan)
for form in leader chain trees circulant halving; do
    holds "every rank of $form, each with tasks" "len(j['ranks']) == 9 and all(r['tasks'] for r in j['ranks'])" \
        --synthetic "node:3 core:4,3,2" --algorithm $form
    holds "one root of $form" "[r['rank'] for r in j['ranks'] if r['has_all']] == [5]" \
        --synthetic "node:3 core:4,3,2" --algorithm $form --root 5 --bytes 10M
    holds "$form without memory of nodes" "not any(t['kind'] in ('give', 'take') for r in j['ranks'] for t in r['tasks'])" \
        --synthetic "node:3 core:4,3,2" --algorithm $form --no-memory
done
for form in "allreduce leader" "allreduce halving" "reduce leader" "reduce halving" "reduce trees" "reduce circulant" "reduce_scatter leader" "barrier leader" "barrier tree"; do
    holds "every node's driver in $form, each with tasks" "sum(bool(r['tasks']) for r in j['ranks']) == 3" \
        --synthetic "node:3 core:4,3,2" --operation "${form% *}" --algorithm "${form#* }"
done
holds "segments as the parameter says" "max(b - a for a, b in zip(j['offsets'], j['offsets'][1:])) == 4096" \
    --synthetic "node:4" --algorithm "chain segment=4K"
holds "tasks begin and end within the call" \
    "j['seconds'] > 0 and all(0 <= t['begin'] <= t['end'] <= j['seconds'] * (1 + 1e-9) for r in j['ranks'] for t in r['tasks'])" \
    --synthetic "node:3 core:4,3,2" --algorithm trees --bytes 300000
holds "one rank" "[r['rank'] for r in j['ranks']] == [2]" --synthetic "node:4" --algorithm leader --rank 2
"$dump" plan --synthetic "node:3 core:2" --algorithm chain --bytes 40000 --rank 2 >"$made/text"
golden "a node in the middle of a chain" "$made/text" <<'END'
bcast chain on node:3 core:2, root 0: 40000 bytes in 6 blocks, 80.7 us
rank 2, node 1
  receive block 0, 1, ... from rank 0; up to 3 at a time; at most 2 ahead of task 3; 0.0 to 53.0 us
  send    block 0, 1, ... to rank 4; up to 8 at a time; each 8th when the receiver is ready; 18.2 to 78.3 us
  give    block 0, 1, ...; 18.2 to 53.8 us
END
"$dump" plan --synthetic "node:2 core:2" --operation allreduce --algorithm leader --bytes 64 --rank 2 >"$made/text"
golden "one of two nodes that exchange sums" "$made/text" <<'END'
allreduce leader on node:2 core:2: 64 bytes in 1 blocks, 12.0 us
rank 2, node 1
  send    block 0 to rank 0; 0.8 to 11.2 us
  receive block 0 from rank 0; the own sum is operand 2; 0.8 to 11.2 us
END
for form in "allreduce lanes" "reduce chain" "reduce_scatter lanes"; do
    holds "every rank gives operands in $form, and some take a total in the end" \
        "all(any(t['kind'] == 'give' for t in r['tasks']) for r in j['ranks']) and \
         0 < max(t['end'] for r in j['ranks'] for t in r['tasks'] if t['kind'] == 'take') <= j['seconds'] * (1 + 1e-9)" \
        --synthetic "node:3 core:4,3,2" --operation "${form% *}" --algorithm "${form#* }"
done
"$dump" plan --synthetic "node:4 core:2" --algorithm circulant --bytes 100000 --format svg -o "$made/svg"
check "a picture of all messages" python3 -c "
import sys, xml.etree.ElementTree as tree
names = [e.text for e in tree.parse('$made/svg').iter('{http://www.w3.org/2000/svg}title')]
sys.exit(not (sum(': send' in n for n in names) == sum(': receive' in n for n in names) > 3 and any(': take' in n for n in names)))"
for form in ring ring_by_rank bruck bruck_exch bruck_reorder recursive_doubling recursive_doubling_exch recursive_doubling_reorder; do
    holds "every rank of $form has its block" \
        "len(j['ranks']) == 8 and sorted(r['own_block'] for r in j['ranks']) == list(range(8))" \
        --synthetic "node:3 core:2,3,3 by:node" --operation allgather --algorithm $form --bytes 8
done
for form in "allgather leader" "allgather radix" "allgatherv leader" "allgatherv radix drivers=2"; do
    holds "every rank of ${form#* } gives its block and takes all" \
        "all(r['tasks'][0]['kind'] == 'give' and r['tasks'][-1]['kind'] == 'take' for r in j['ranks']) and j['seconds'] > 0" \
        --synthetic "node:3 core:2,3,3 by:node" --operation "${form%% *}" --algorithm "${form#* }" --bytes 8
    holds "${form#* } without memory of nodes" \
        "j['seconds'] > 0 and not any(t['kind'] in ('give', 'take') for r in j['ranks'] for t in r['tasks'])" \
        --synthetic "node:3 core:2,3,3 by:node" --operation "${form%% *}" --algorithm "${form#* }" --bytes 8 --no-memory
done
"$dump" plan --synthetic "node:3 core:2" --operation allgather --algorithm radix --bytes 8 --rank 2 >"$made/text"
golden "one that sends what its node has" "$made/text" <<'END'
allgather radix on node:3 core:2: 48 bytes in 6 blocks, 12.2 us
rank 2, node 1, has block 0
  give    block 0; 0.0 to 0.0 us
  take    block 0-1; after task 1 and all before it; 0.0 to 0.8 us
  receive block 2-3 from rank 0; after task 2 and all before it; 0.8 to 11.4 us
  send    block 0-1 to rank 4; after task 2 and all before it; 0.8 to 11.4 us
  give    block 2-3; after task 4 and all before it; 11.4 to 11.4 us
  take    block 2-5; after task 5 and all before it; 11.4 to 12.2 us
END
holds "long blocks one by one" "all(t['turns'][0]['blocks'] == 1 for r in j['ranks'] for t in r['tasks'])" \
    --synthetic "node:3 core:2,3,3" --operation allgather --algorithm bruck
"$dump" plan --synthetic "node:2 core:4" --operation allgather --algorithm bruck_exch --bytes 8 --rank 1 >"$made/text"
golden "an exchange, then Bruck" "$made/text" <<'END'
allgather bruck_exch on node:2 core:4: 64 bytes in 8 blocks, 23.5 us
rank 1, node 0, has block 1
  receive block 2 from rank 2; 0.0 to 0.8 us
  send    block 1 to rank 4; 0.0 to 10.9 us
  receive block 3 from rank 5; after task 2 and all before it; 10.9 to 21.8 us
  send    block 2 to rank 4; after task 2 and all before it; 10.9 to 21.8 us
  receive block 4-5 from rank 2; after task 4 and all before it; 21.8 to 22.6 us
  send    block 2-3 to rank 0; after task 4 and all before it; 21.8 to 22.6 us
  receive block 6-1 from rank 3; after task 6 and all before it; 22.6 to 23.5 us
  send    block 2-5 to rank 3; after task 6 and all before it; 22.6 to 23.5 us
END
"$dump" plan --synthetic "node:2 core:3" --operation allgather --algorithm ring --bytes 8 --rank 1 >"$made/text"
golden "a ring" "$made/text" <<'END'
allgather ring on node:2 core:3: 48 bytes in 6 blocks, 23.0 us
rank 1, node 0, has block 1
  receive block 0, 5, ... 2 from rank 0; up to 5 at a time; 0.0 to 23.0 us
  send    block 1, 0, ... 3 to rank 2; up to 5 at a time; 0.0 to 13.5 us
END
for form in cyclic mixed_grid recursive_doubling recursive_halving; do
    holds "every rank sends and receives in $form" \
        "all({t['kind'] for t in r['tasks']} == {'send', 'receive'} for r in j['ranks']) and len(j['ranks']) == 9" \
        --synthetic "node:3 core:4,3,2 by:node" --operation allreduce --algorithm $form
done
"$dump" plan --synthetic "node:3" --operation allreduce --algorithm cyclic --bytes 1200000 --rank 1 >"$made/text"
golden "a ring that adds, and one that gives" "$made/text" <<'END'
allreduce cyclic on node:3: 1200000 bytes in 21 blocks, 1671.2 us
rank 1, node 1
  send    block 7-13, 0 to rank 2; 1 of them a message; up to 4 at a time; at most 6 ahead of task 2; 0.0 to 1152.8 us
  receive block 0-6, 14 from rank 0; 1 of them a message; up to 2 at a time; 0.0 to 1161.4 us
  receive block 7-13, 0 from rank 0; 1 of them a message; up to 2 at a time; 1 behind task 1; 124.9 to 1671.2 us
  send    block 14-20, 7 to rank 2; 1 of them a message; up to 4 at a time; 516.7 to 1671.2 us
END
refused 2 "the number of ranks is not a power of two" --synthetic "node:3" --operation allgather --algorithm recursive_doubling
refused 2 "allowed for bcast: leader chain circulant trees halving" --synthetic "node:4" --algorithm ring
refused 2 "is needed" --synthetic "node:4"
for operation in alltoall alltoallv; do
    holds "every rank of $operation direct sends and receives" "all([t['kind'] for t in r['tasks']] == ['send', 'receive'] for r in j['ranks'])" \
        --synthetic "node:3 core:4,3,2 by:node" --operation $operation --algorithm direct --bytes 8
    holds "the first ranks in $operation node_aware" "[r['rank'] for r in j['ranks'] if r['tasks']] == [0, 1, 2]" \
        --synthetic "node:3 core:4,3,2 by:node" --operation $operation --algorithm node_aware --bytes 8
done
"$dump" plan --synthetic "node:2 core:2" --operation alltoall --algorithm direct --bytes 8 --rank 1 >"$made/text"
golden "messages between all" "$made/text" <<'END'
alltoall direct on node:2 core:2: 64 bytes in 8 blocks, 11.2 us
rank 1, node 0
  send    to every rank in turn; up to 4 at a time; 0.0 to 11.2 us
  receive from every rank in turn; up to 4 at a time; 0.0 to 11.2 us
END
refused 2 "allowed: allgather allreduce alltoallv barrier bcast reduce allgatherv alltoall reduce_scatter reduce_scatter_block" --synthetic "node:4" --operation alltoallw --algorithm direct
refused 2 "--synthetic is needed" --algorithm chain
refused 2 "radix=x" --synthetic "node:4" --algorithm "leader radix=x"
refused 2 "allowed: 0..3" --synthetic "node:4" --algorithm chain --root 4
refused 2 "allowed: 1 up to" --synthetic "node:4" --algorithm chain --bytes 0
finish
