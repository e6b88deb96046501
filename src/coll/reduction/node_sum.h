/* The sum of a short vector over all ranks: the ranks of a node put their operands
 * into shared memory (node/shm_buffer.h), one of them adds them up and exchanges the sum
 * with ranks of other nodes, step by step. Longer vectors are cut into stripes, each
 * with a rank of its own on every node, and very long ones into segments, one after
 * the other, so that they take no more memory. */
#ifndef TOPO_COLL_REDUCTION_NODE_SUM_H
#define TOPO_COLL_REDUCTION_NODE_SUM_H

#include "coll/reduction/vector.h"
#include "comm/comm.h"
#include "plan/forms.h"

struct topo_node_sum_run;

/* One stripe, or what of it is in shared memory at a time, on the rank that drives it. */
struct topo_node_stripe {
    const struct topo_node_sum_run *run;
    struct topo_comm *comm;
    const struct topo_vector *vector;
    const struct topo_bench *bench;
    size_t at, count; /* elements; `at` counts in what is in shared memory */
    int stripes;      /* of the vector */
    char *sum;        /* stored elements: at first the operands of the node's first rank */
};

/* Adds the operands of the node's other ranks to `count` elements of the sum, from element `at` of the stripe on, in
 * the order of the ranks. Returns an MPI error code. */
int topo_node_stripe_add(const struct topo_node_stripe *stripe, size_t at, size_t count);

/* How the nodes exchange their sums: by which plan, and to which rank's node, or, below 0, to all. */
struct topo_node_exchange {
    topo_plan_function *plan;
    int root;
};

/* Bytes of the vector that are in shared memory at a time, unless an element has more, where the largest node has
 * `ranks`. */
size_t topo_node_exchange_segment(const struct topo_node_exchange *exchange, int ranks);

/* Adds the node's operands, exchanges; leaves the sum of all in stripe->sum where it goes. An MPI error code. */
int topo_node_exchange_run(const struct topo_node_exchange *exchange, const struct topo_node_stripe *stripe);

/* `range` says what this rank gets of the sum; ranks that get nothing need no
 * vector->result and leave when their part is done. The exchange brings the sum to the nodes
 * of those that do. *there = false, on all ranks alike
 * and with nothing done: there is no shared memory. Returns an MPI error code. */
int topo_node_sum(struct topo_comm *comm, const struct topo_vector *vector, const struct topo_node_exchange *exchange,
                  const struct topo_result_range *range, bool *there);

#endif
