/* Long sums: which rank adds up which segment of a vector, and who talks to whom
 * for it (topo_levels_new() with a radix: more parts need more messages at once).
 *
 * The vector is cut into one block for each node, every block into `stripes`
 * segments; stripe s is driven on every node by its rank s mod ranks, so every rank
 * drives a part of the exchange, whatever the nodes' sizes; among many nodes, whose blocks
 * are short, segments are dealt out over all of them. A segment's sum travels
 * along the block's paths (paths.h, direct ones) backwards: from all nodes to the
 * node that the block belongs to, each unit of each level giving one partial sum
 * out; the result may take the same way forwards. So of a vector of m bytes a node's
 * link carries 2m(1 - 1/nodes) each way, the least there can be, in two steps a
 * level.
 *
 * Additions follow the levels from inside out and the units of a group in their
 * order, as topo_node_steps_reduce() has them, whichever node they take place on: so
 * the result does not depend on how the vector is cut, to the last bit. */
#ifndef TOPO_PATTERNS_REDUCE_PLAN_H
#define TOPO_PATTERNS_REDUCE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "patterns/levels.h"

/* One addition: operands[into] becomes operands[from] + operands[into], where
 * operand 0 is the node's own and i + 1 what child i sent. */
struct topo_reduce_plan_step {
    int from, into;
};

/* One segment on the rank that drives it. */
struct topo_reduce_plan_task {
    int segment; /* block * stripes + stripe */
    int parent;  /* position of the rank that gets the partial sum and sends the result; -1: the block is this node's */
    int child;   /* first of `children` in child[]: positions that send partial sums and get the result */
    int children; /* the other ends of a node's messages start in turn, not all at the same node */
    int step;     /* first in step[]: as many steps as children, in this order */
    int place;    /* of the segment in the order in which its node adds up */
    int total; /* operand that holds the sum in the end; for a segment without a parent 0 means that it is `in_place` */
};

/* The part of one rank. */
struct topo_reduce_plan {
    int segments, stripes;
    bool across;  /* segments are dealt out over all blocks, not over each */
    int trees;    /* of a collect, as there */
    int in_place; /* segments 0 .. in_place - 1 belong to this node, and their sums replace its own operands */
    int tasks;
    /* In the order in which they are worth starting: segments that others wait for
     * come first, those that need fewest partial sums first of all. */
    struct topo_reduce_plan_task *task;
    int children;
    int *child, *task_of;               /* [children] position; the task that it belongs to */
    int *order;                         /* [segments / stripes] blocks in the order in which they are worth adding up */
    struct topo_reduce_plan_step *step; /* [children] */
};

/* The local rank that drives a segment on a node of so many ranks. */
int topo_reduce_plan_driver(const struct topo_reduce_plan *plan, int segment, int ranks);

/* For local rank `local` of `node`. Free *sums with topo_reduce_plan_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_reduce_plan_new(const struct topo_levels *levels, int node, int local, int stripes,
                                      struct topo_reduce_plan **plan);

/* The part in a sum that one node, `root`, gets: the vector is a single block, cut into `stripes` segments, and each
 * node of a chain (chain.h) adds its own to the partial sum of the node before it. Additions follow the chain.
 *
 * With `trees` 1 the chain is divided: its links carry the vector twice, but it is as deep as the logarithm of
 * the nodes. With k of 2 to TOPO_TREES_MOST stripe s goes up tree s mod k of trees.h: as deep, and links carry the
 * vector once, but of levels they know racks alone, and those where k is 2. 0: neither. Free *sums with
 * topo_reduce_plan_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_reduce_plan_collect(const struct topo_levels *levels, int root, int node, int local, int stripes,
                                          int trees, struct topo_reduce_plan **plan);

/* Messages one after the other from the farthest node to the root's, about. */
int topo_reduce_plan_depth(const struct topo_levels *levels, int trees);

/* Slices of each node's block of a vector of `bytes`, where the largest node has `ranks`: 1 to `ranks`, as
 * topo_node_steps_ranges(). */
int topo_reduce_plan_stripes(size_t bytes, int nodes, int ranks);

/* Bytes of a segment of a sum that all nodes get, at most. An iteration is added up while those before it are on their
 * way through the levels and read. So among more nodes than meet in one step a vector is cut into several iterations,
 * where each rank has a processor: on 16 simulated nodes of 16 two iterations of 16 MiB took 18 % longer than the
 * nodes' memory alone would, eight take 3 %. With one or two `ranks` on the largest node an iteration is short anyway,
 * and shorter messages cost more than they save: an all-reduce of 1 MiB on 6 emulated nodes of 2 took 58 ms instead
 * of 19. */
size_t topo_reduce_plan_segment(size_t bytes, int nodes, int ranks, int stripes, bool oversubscribed);

/* Iterations of a vector that may be under way at once. */
enum {
    TOPO_REDUCE_WINDOWS = 4,
    TOPO_REDUCE_WINDOWS_MORE = 8, /* where segments are short */
    TOPO_REDUCE_WINDOWS_MOST = 16 /* where they go up several trees */
};

/* How the ranks of a node hand an iteration's sum on, where each adds its operands in turn. */
struct topo_reduce_parts {
    int together, cuts; /* so many segments at a time, or each in so many cuts; the other is 1 */
    int count;          /* handed on in all */
};
struct topo_reduce_parts topo_reduce_plan_parts(size_t segment, int segments);

/* Whether they do, where the largest node has `ranks`: in a vector of `bytes` whose iterations have so many segments of
 * at most `segment` bytes, and with so many iterations under way. All ranks have something to do only when as many
 * parts are. Of two ranks each adds up half of what the other one writes, which is as little. */
bool topo_reduce_plan_pipelined(size_t bytes, int segments, size_t segment, int windows, int ranks);

/* How a chain of the nodes of these levels cuts a vector, where the largest has `ranks`: in every iteration it takes a
 * segment of each stripe: of `given` bytes, where that is not 0. */
struct topo_reduce_chain_cut {
    int stripes;    /* up to `ranks`, or `trees`: in a deep chain fewer, so that an iteration is as short as pays */
    size_t segment; /* bytes, at most */
    int trees;      /* as above: 0 on few nodes; 1 in racks for a vector that is short for the hops of two trees */
    int windows;    /* wanted */
    bool pipelined; /* as above, and all ranks of a node wait for one another anyway, when windows are full */
};
struct topo_reduce_chain_cut topo_reduce_plan_chain_cut(size_t bytes, const struct topo_levels *levels, int ranks,
                                                        bool oversubscribed, size_t given);

/* NULL is harmless. */
void topo_reduce_plan_free(struct topo_reduce_plan *plan);
TOPO_SCOPED_TYPE(topo_reduce_plan)

#endif
