/* Long sums: which rank adds up which segment of a vector, and who talks to whom
 * for it (topo_levels_new() with a radix: more parts need more messages at once).
 *
 * The vector is cut into one block for each node, every block into `stripes`
 * segments; stripe s is driven on every node by its rank s mod ranks, so every rank
 * drives a part of the exchange, whatever the nodes' sizes; where blocks are too short to be
 * cut for all ranks, segments are dealt out over all of them. A segment's sum travels
 * along the block's paths (paths.h, direct ones) backwards: from all nodes to the
 * node that the block belongs to, each unit of each level of the machine giving one partial sum
 * out; the result may take the same way forwards. So of a vector of m bytes a node's
 * link carries 2m(1 - 1/nodes) each way, the least there can be, in two steps a
 * level of the machine: nodes that are in no racks send to one another, and each gets as many messages
 * as all others. Along the levels of a radix some would get more, where its powers are not the number of nodes.
 *
 * Additions follow the levels of a radix, from inside out and the units of a group in their
 * order, as topo_node_steps_reduce() has them, whichever node they take place on: so
 * the result does not depend on how the vector is cut, to the last bit. Each takes place as soon as that allows. */
#ifndef TOPO_PATTERNS_REDUCE_PLAN_H
#define TOPO_PATTERNS_REDUCE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "patterns/levels.h"

/* One operand of a task's sum, 0 the node's own, i + 1 what child i sent: operands are numbered so within the task.
 * When all that are added to it have been, in their order, it is added to another one: that becomes itself + this. */
struct topo_reduce_plan_operand {
    int into;  /* what it is added to; -1: it is the sum */
    int first; /* the first one that is added to it; -1: none */
    int next;  /* the one that is added after it to the same; -1: none */
};

/* One segment on the rank that drives it. */
struct topo_reduce_plan_task {
    int segment; /* block * stripes + stripe */
    int parent;  /* position of the rank that gets the partial sum and sends the result; -1: the block is this node's */
    int child;   /* first of `children` in child[]: positions that send partial sums and get the result */
    int children; /* the other ends of a node's messages start in turn, not all at the same node */
    int operand;  /* first in operand[]: one more than children */
    int place;    /* of the segment in the order in which its node adds up */
    int total; /* operand that holds the sum in the end; for a segment without a parent 0 means that it is `in_place` */
};

/* Which message follows which in a stream (limits.h): those between this rank and another one, by their segments'
 * order; behind the last one comes the first one of the next iteration. */
struct topo_reduce_plan_stream {
    int first, next;
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
    int *child, *task_of; /* [children] position; the task that it belongs to */
    int *order;           /* [segments / stripes] blocks in the order in which they are worth adding up */
    struct topo_reduce_plan_operand *operand;                   /* [children + tasks] */
    struct topo_reduce_plan_stream *task_stream, *child_stream; /* [tasks] to parents; [children] */
};

/* The local rank that drives a segment on a node of so many ranks. */
int topo_reduce_plan_driver(const struct topo_reduce_plan *plan, int segment, int ranks);

/* For local rank `local` of `node`: segments travel along `levels`, those of the machine, and are added up along
 * `sum_levels`, the same ones with a radix. `oversubscribed`, alike on all: ranks share processors. Free *plan with
 * topo_reduce_plan_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_reduce_plan_new(const struct topo_levels *levels, const struct topo_levels *sum_levels, int node,
                                      int local, int stripes, bool oversubscribed, struct topo_reduce_plan **plan);

/* The part in a sum that one node, `root`, gets: the vector is a single block, cut into `stripes` segments, and each
 * node of a chain (chain.h) adds its own to the partial sum of the node before it. Additions follow the chain. But for
 * the root they take place where the first partial sum has landed, in the driving rank's own memory: that of the node,
 * which all of its ranks go through, carries its sum once, however many children it has.
 *
 * With `trees` 1 the chain is divided: its links carry the vector twice, but it is as deep as the logarithm of
 * the nodes. With k of 2 to TOPO_TREES_MOST stripe s goes up tree s mod k of trees.h: as deep, and links carry the
 * vector once, but of levels they know racks alone, and those where k is 2. 0: neither. Free *sums with
 * topo_reduce_plan_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_reduce_plan_collect(const struct topo_levels *levels, int root, int node, int local, int stripes,
                                          int trees, struct topo_reduce_plan **plan);

/* NULL is harmless. */
void topo_reduce_plan_free(struct topo_reduce_plan *plan);
TOPO_SCOPED_TYPE(topo_reduce_plan)

#endif
