# The rounds of MPI_Allgather and MPI_Allreduce as messages leave the ranks: a tool below the library records them, and they
# are compared with tables worked out by hand from docs/REFERENCES.md (Mapping 3 and 4, Reduction 1, 2 and 5). What
# MPI_Alltoallv sends: test_steps.sh; the predictor sends nothing, its hand-worked figures are tests/data/dvm/*.expect.
. "$TOP_SRCDIR/tests/lib.sh"
library=$TOP_BUILDDIR/src/.libs/libtopompi.so
tool=$TOP_BUILDDIR/tests/preload/.libs/recording_tool.so
program=$TOP_BUILDDIR/tests/preload/rounds
export MPI_TIMEOUT=60

# sends NAME RANKS MACHINE CALL SIZE FORM EXPECTED [NAME=VALUE]...: EXPECTED has "receiver:bytes ..." of each rank in the order
# sent, ranks apart by ";".
sends() {
    local name=$1 ranks=$2 machine=$3 call=$4 size=$5 form=$6 expected=$7 settings=() out
    shift 7
    while [[ $# -gt 0 ]]; do settings+=(-x "$1"); shift; done
    out=$(apart mpi "$ranks" -x LD_PRELOAD="$library:$tool" -x "TOPOMPI_MACHINE=synthetic:$machine" -x "TOPOMPI_${call^^}=$form" \
        "${settings[@]}" "$program" "$call" "$size")
    if ! grep -q '^ok$' <<<"$out"; then
        fail "$name" "$out"
        return
    fi
    out=$(grep '^rank ' <<<"$out" | sort -V | sed -E 's/^rank [0-9]+: *//; s/ *\|//g; s/ *$//' | ${ORDER:-cat} | paste -sd ';' | sed 's/;/; /g')
    if [ "$out" = "$expected" ]; then pass "$name"; else fail "$name" "'$out', not '$expected'"; fi
}

# -- Kurnosov 2010: allgathers of 100 bytes a rank --

sends "ring" 4 'node:4 core:1' allgather 100 ring_by_rank '1:100 1:100 1:100; 2:100 2:100 2:100; 3:100 3:100 3:100; 0:100 0:100 0:100'
# Step k sends everything held, at most what is left of n = 6, to i - 2^k: 1, 2 and 2 blocks.
sends "bruck, six ranks" 6 'node:6 core:1' allgather 100 bruck '5:100 4:200 2:200; 0:100 5:200 3:200; 1:100 0:200 4:200; 2:100 1:200 5:200; 3:100 2:200 0:200; 4:100 3:200 1:200'
sends "recursive doubling" 4 'node:4 core:1' allgather 100 recursive_doubling '1:100 2:200; 0:100 3:200; 3:100 0:200; 2:100 1:200'

# Figure 3: two nodes of four have {0,2,4,6} and {1,3,5,7}, here in that order: pi is 0 2 4 6 1 3 5 7, and numbers 0 to 7 have
# the ranks 0 4 1 5 2 6 3 7. Step k of rank i goes to the rank that has number pi(i) - 2^k: rank 1 has 2 and sends to the ranks
# that have 1, 0 and 6.
joined() { printf '%s; ' "$@" | sed 's/; $//'; }
steps=('7:100 3:200 2:400' '4:100 0:200 3:400' '5:100 1:200 0:400' '6:100 2:200 1:400'
    '0:100 7:200 6:400' '1:100 4:200 7:400' '2:100 5:200 4:400' '3:100 6:200 5:400')
sends "bruck, renumbered, blocks put in order at the end" 8 'node:2 core:4' allgather 100 bruck_reorder "$(joined "${steps[@]}")"
# With exch rank i first sends its block to the rank that has number i, 4 1 5 2 6 3 for the ranks 1 to 6.
exchanged() { joined "$1" "4:100 $2" "1:100 $3" "5:100 $4" "2:100 $5" "6:100 $6" "3:100 $7" "$8"; }
sends "bruck, renumbered, blocks exchanged first" 8 'node:2 core:4' allgather 100 bruck_exch "$(exchanged "${steps[@]}")"
# The ranks that have pi(i) xor 2^k.
steps=('4:100 1:200 2:400' '5:100 0:200 3:400' '6:100 3:200 0:400' '7:100 2:200 1:400'
    '0:100 5:200 6:400' '1:100 4:200 7:400' '2:100 7:200 4:400' '3:100 6:200 5:400')
sends "recursive doubling, renumbered, blocks put in order" 8 'node:2 core:4' allgather 100 recursive_doubling_reorder "$(joined "${steps[@]}")"
sends "recursive doubling, renumbered, blocks exchanged first" 8 'node:2 core:4' allgather 100 recursive_doubling_exch \
    "$(exchanged "${steps[@]}")"

# -- The cyclic all-reduce --

# 2 x 3, first dimension innermost: rank r is (r mod 2, r / 2). Twelve int: one step of 6 along the first dimension, two of 2
# along the second, and the same backwards.
grid='1:24 2:8 2:8 2:8 2:8 1:24; 0:24 3:8 3:8 3:8 3:8 0:24; 3:24 4:8 4:8 4:8 4:8 3:24; 2:24 5:8 5:8 5:8 5:8 2:24; 5:24 0:8 0:8 0:8 0:8 5:24; 4:24 1:8 1:8 1:8 1:8 4:24'
sends "cyclic, 2 x 3, synchronous" 6 'node:3 core:2' allreduce 12 cyclic "$grid" TOPOMPI_CYCLIC_GRID=2x3 TOPOMPI_PACKET=0
# In packets of 8 bytes the 24 go as three; each link in its own order, so counted by receiver.
by_receiver() { while read -r line; do tr ' ' '\n' <<<"$line" | sort -V | uniq -c | awk '{print $1 "x" $2}' | paste -sd ' '; done; }
ORDER=by_receiver sends "cyclic, 2 x 3, packets" 6 'node:3 core:2' allreduce 12 cyclic \
    '6x1:8 4x2:8; 6x0:8 4x3:8; 6x3:8 4x4:8; 6x2:8 4x5:8; 4x0:8 6x5:8; 4x1:8 6x4:8' TOPOMPI_CYCLIC_GRID=2x3 TOPOMPI_PACKET=8
# Ten int on a ring of four: blocks of 3 3 3 1. In each of the six steps the four ranks send the four blocks.
by_step() { python3 -c '
import sys
rows = [line.split() for line in sys.stdin]
print("\n".join(" ".join(sorted(word.split(":")[1] for word in step)) for step in zip(*rows)))'; }
ORDER=by_step sends "cyclic, a ring, blocks of different length" 4 'node:4 core:1' allreduce 10 cyclic \
    '12 12 12 4; 12 12 12 4; 12 12 12 4; 12 12 12 4; 12 12 12 4; 12 12 12 4' TOPOMPI_CYCLIC_GRID=4 TOPOMPI_PACKET=0
finish
