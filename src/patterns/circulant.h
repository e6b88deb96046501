/* A vector in blocks from one node to all others on a circulant graph: every node sends one block and receives one in
 * each round, and all are through after blocks - 1 + ceil(log2 nodes) rounds, the fewest there can be where a node
 * sends and receives one block at a time (docs/REFERENCES.md, Node exchanges 4). Backwards, rounds and messages, it
 * collects sums: every node hands the partial sum of each block on once, when all that go into it have come.
 *
 * Nodes are numbered from the root, which is 0. With q = ceil(log2 nodes) there are q skips: skip[q] = nodes and
 * skip[k] = ceil(skip[k + 1] / 2). In round i, with k = i mod q, node r sends to r + skip[k] and receives from
 * r - skip[k]. In q rounds, a phase, it receives q different blocks: its base block, which the root sent out in this
 * phase, and q - 1 of phases before. Each node computes alone which they are, in O(log nodes); what it sends in a round
 * is what its partner receives, O(log^2 nodes) for all.
 *
 * Example: 5 nodes, so q = 3 and the skips are 1, 2, 3 and 5. Blocks of a node's phase; those of the phase before,
 * which count on from -q, are negative:
 *
 *     node                        1   2   3   4
 *     base block                  0   1   2   0     4 = skip[2] + skip[0]: the smallest skip names it
 *     receives, k = 0             0  -3  -2  -1     from r - 1
 *               k = 1            -1   1  -3  -2     from r - 2
 *               k = 2            -2  -1   2   0     from r - 3
 *
 * and with it a vector of 4 blocks in 4 - 1 + 3 rounds; "2<1": block 2 from node 1. A block beyond the last one is the
 * last one, a negative one no message.
 *
 *     round       0     1     2     3     4     5
 *     node 1     0<0    -     -    3<0   2<4   1<3
 *     node 2      -    1<0    -    0<1   3<0   2<4
 *     node 3      -     -    2<0   1<2   0<1   3<0
 *     node 4      -     -    0<1   2<3   1<2   3<1
 *
 * (Where the last phase would not be whole, the first rounds of the first one are left out and blocks numbered
 * accordingly.)
 */
#ifndef TOPO_PATTERNS_CIRCULANT_H
#define TOPO_PATTERNS_CIRCULANT_H

#include <stdbool.h>
#include <stdint.h>

enum { TOPO_CIRCULANT_ROUNDS = 31 }; /* of a phase, at most: nodes are an int */

/* What one node does. Small, and without memory of its own. */
struct topo_circulant {
    int nodes, node; /* the node's number from the root: (node - root) mod nodes */
    int phase;       /* rounds of one: ceil(log2 nodes) */
    int skip[TOPO_CIRCULANT_ROUNDS + 1];
    int receive[TOPO_CIRCULANT_ROUNDS], send[TOPO_CIRCULANT_ROUNDS]; /* by round of a phase: blocks, as above */
    int64_t blocks;
    int64_t rounds; /* 0 for one node, which has nothing to do */
    int missing;    /* rounds that the first phase lacks, so that the last one is whole */
};

/* For `blocks` >= 1; 0 <= node < nodes. */
void topo_circulant_make(int nodes, int node, int64_t blocks, struct topo_circulant *circulant);

/* Bytes of a block of a vector of `bytes` between so many nodes, the last one's may be fewer: a multiple of 64. Where
 * rounds keep together a block passes through nodes in as many of them as a phase has, and each costs its latency
 * (pipeline.h). Else long vectors have blocks of TOPO_SEGMENT_BYTES, shorter ones two for every round of a phase, as
 * long as a block costs its link as much as a message does: 16 KiB, and 8 on more than 8 nodes, where more rounds wait
 * for a block to pass; where ranks share processors, of which a message takes more than of a fast link,
 * TOPO_SEGMENT_BYTES. Where `given` is not 0, blocks of about as many bytes instead. */
uint64_t topo_circulant_segment(uint64_t bytes, int nodes, bool oversubscribed, uint64_t given);

/* Whether rounds keep together: a node sends a block when the one before has gone and those of all rounds before have
 * come. One that is ahead of others sends to nodes that still receive, which makes both messages longer, and those of
 * whoever waits for them. Not for vectors that MPI may send eagerly, as a rank that sends those waits for nobody, nor
 * where ranks share processors, and wait for those more than for links. */
bool topo_circulant_together(uint64_t bytes, bool oversubscribed);

/* How far a node may be from the rounds of others. */
struct topo_circulant_pace {
    int ahead;  /* rounds whose receives are under way, up to TOPO_CIRCULANT_AHEAD_MOST */
    int lag;    /* rounds by which the blocks waited for may be behind those sent */
    int behind; /* rounds whose sends are under way: with fewer than TOPO_CIRCULANT_BEHIND_MOST they begin when their
                   receivers do */
};
enum { TOPO_CIRCULANT_AHEAD_MOST = 8, TOPO_CIRCULANT_BEHIND_MOST = 32 };

/* Of a vector of `bytes`. */
struct topo_circulant_pace topo_circulant_pace_of(uint64_t bytes, bool oversubscribed);

/* In the last one of so many phases senders should wait until their receivers have begun with them, so that one that is
 * ahead does not fill the memory of others: after about as many bytes as in a chain. `segment` is positive. */
int topo_circulant_awaited(const struct topo_circulant *circulant, uint64_t segment);

#endif
