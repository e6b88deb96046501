/* A sum for all nodes as reduce-scatter and allgather, a message to each partner in a step: the vector has a block for
 * each node, and in each step a node sends its partners those blocks whose sums they are on the way to, so that what it
 * still has to do with shrinks by the number of partners and itself; then the sums go the same way back. With radix r
 * (topo_levels_new()) that is recursive halving for r = 2, and 2 ceil(log_r N) steps of up to r - 1 messages for N
 * nodes, which send and receive 2 (1 - 1/N) of the vector where units are equal: few messages and few bytes.
 *
 * Blocks travel along direct paths (paths.h), as in plan/sum_lanes.c, and operands are added in the same order: the
 * units of a group in theirs, from the innermost level out. So the bits are those of topo_node_steps_reduce(), for any
 * number of nodes and uneven units. Blocks lie in the vector in the order of their nodes' places, innermost level
 * first: where units are equal all blocks of a message are one segment of the vector.
 *
 * A short vector is cut into fewer shares than there are nodes (topo_halving_shares()), and the other blocks are empty.
 * With one share the sum goes up a tree to the last block's node, and back: 2 (N - 1) messages, the fewest.
 *
 * Example: 4 nodes, radix 2: levels {0 1} {2 3}, then single nodes. The order of the blocks is 0 2 1 3. Node 1 sends
 * node 0 the blocks 0 2 and gets 1 3; then sends node 3 the block 3 and gets 1. Then back: 1 to node 3 for 3; 1 3 to
 * node 0 for 0 2. */
#ifndef TOPO_PATTERNS_HALVING_H
#define TOPO_PATTERNS_HALVING_H

#include "patterns/levels.h"
#include "patterns/limits.h"

/* Blocks first .. first + count - 1, by their place in the vector. */
struct topo_block_span {
    int first, count;
};

/* Ascending, with gaps between them: span[first .. first + count - 1] of the plan; `blocks` together. */
struct topo_block_set {
    int first, count, blocks;
};

/* Blocks on the way to `node`, a partner: they are of this node no more. */
struct topo_halving_message {
    int node;
    struct topo_block_set set;
};

/* One step of the reduce-scatter; the allgather has them backwards, and each message the other way. */
struct topo_halving_step {
    int level;                  /* of the exchange */
    int mine, units;            /* the group: this node's unit and their number */
    struct topo_block_set kept; /* what this node goes on with, and each child sends */
    int child;                  /* in child[]: a node of each other unit, ascending, units - 1 of them */
    int message, messages;      /* in message[]: what it sends */
};

struct topo_halving {
    int nodes, count;
    struct topo_halving_step *step;
    int *child;
    struct topo_halving_message *message;
    struct topo_block_span *span;
    int children, messages, spans;
};

/* A broadcast with these messages (plan/bcast_halving.c): a scatter along those of the reduce-scatter that come
 * from the root's unit, then the allgather without those that go there. True where `node` is in the root's unit of the
 * step's level: it has all that is scattered at this level, and gets none of it in the allgather. */
static inline bool topo_halving_has_all(const struct topo_levels *levels, const struct topo_halving_step *step,
                                        int root, int node)
{
    const struct topo_level *level = &levels->level[step->level];
    return topo_unit_has(level, topo_unit_of(level, root), node);
}

/* The part of `node`. Free *halving with topo_halving_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_halving_new(const struct topo_levels *levels, int node, struct topo_halving **halving);

/* Into how many shares a vector of `bytes` is cut for the blocks of `nodes`: as many as there are nodes, fewer where a
 * share would be shorter than a message is worth. */
static inline size_t topo_halving_shares(size_t bytes, int nodes)
{
    size_t shares = bytes / TOPO_SHARE_LEAST;
    return shares < 1 ? 1 : shares < (size_t)nodes ? shares : (size_t)nodes;
}

/* Of so many shares, those that begin in blocks before `block`, the place of a node's block. */
static inline size_t topo_halving_shares_before(size_t shares, int block, int nodes)
{
    return (size_t)block * shares / (size_t)nodes;
}

/* Sets order[nodes]: the nodes in the order of their blocks, by their places on the innermost level, then on the next
 * one out. False when memory is out. */
bool topo_halving_sort_nodes(const struct topo_levels *levels, int *order);

/* The node that `node` gets from in this step of the scatter what it keeps; -1: none. */
int topo_halving_source(const struct topo_halving *plan, const struct topo_halving_step *step,
                        const struct topo_levels *levels, int root, int node);

/* NULL is harmless. */
void topo_halving_free(struct topo_halving *halving);

#endif
