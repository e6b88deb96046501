/* How a rank's operands come into the region, and the sum of those of its node. */
#ifndef TOPO_COLL_REDUCTION_REDUCE_LANES_OPERANDS_H
#define TOPO_COLL_REDUCTION_REDUCE_LANES_OPERANDS_H

#include "coll/reduction/reduce_lanes.h"

/* Those of one call on this rank. */
struct topo_reduce_lanes_operands {
    const struct topo_node *node;
    const struct topo_vector *vector;
    const struct topo_reduce_plan *plan;
    const struct topo_reduce_lanes_layout *layout;
    const struct topo_reduce_lanes_order *order;
    const struct topo_bench *bench;
    int iteration, part; /* in turn: what is next */
};

/* Writes those of an iteration, but for the segments that this rank adds up itself. Returns an MPI error code. */
int topo_reduce_lanes_write(const struct topo_reduce_lanes_operands *mine, int iteration);

/* Where operands are added in turn: puts the next part in its place, when it is this rank's turn, and hands it on.
 * False: it is not. *code becomes an MPI error code. */
bool topo_reduce_lanes_put_part(struct topo_reduce_lanes_operands *mine, int *code);

/* Whether the operands of the node's ranks for a task of this rank are there; tasks are asked for in their order. */
bool topo_reduce_lanes_are_there(const struct topo_reduce_lanes_operands *mine, int iteration, int task);

/* Then: adds them up, group by group in the order of the ranks, unless that was done in turn; then the sums of the
 * groups. Returns an MPI error code. */
int topo_reduce_lanes_add_up(const struct topo_reduce_lanes_operands *mine, int iteration, int segment);

#endif
