/* The sum of a short vector over all ranks: the ranks of a node put their operands
 * into shared memory (node/shm_buffer.h), one of them adds them up and exchanges the sum
 * with ranks of other nodes, step by step. Longer vectors are cut into stripes, each
 * with a rank of its own on every node, and very long ones into segments, one after
 * the other, so that they take no more memory. */
#ifndef TOPO_COLL_REDUCTION_NODE_SUM_H
#define TOPO_COLL_REDUCTION_NODE_SUM_H

#include "coll/reduction/vector.h"
#include "comm/comm.h"
#include "patterns/halving.h"
#include "plan/bcast.h"

struct topo_node_sum_run;

/* One stripe, or what of it is in shared memory at a time, on the rank that drives it. */
struct topo_node_stripe {
    const struct topo_node_sum_run *run;
    const struct topo_comm *comm;
    const struct topo_vector *vector;
    const struct topo_bench *bench;
    size_t at, count; /* elements; `at` counts in what is in shared memory */
    int stripes;      /* of the vector */
    char *sum;        /* stored elements: at first the operands of the node's first rank */
    char *scratch;    /* as many bytes as the exchange wanted, aligned to 64 */
};

/* Adds the operands of the node's other ranks to `count` elements of the sum, from element `at` of the stripe on, in
 * the order of the ranks. Returns an MPI error code. */
int topo_node_stripe_add(const struct topo_node_stripe *stripe, size_t at, size_t count);

/* The rank that drives this stripe on another node. */
int topo_node_stripe_peer(const struct topo_node_stripe *stripe, int node);

/* How the nodes exchange their sums: one of the following, and what it goes by. */
struct topo_node_exchange {
    size_t segment; /* bytes of the vector that are in shared memory at a time, unless an element has more */
    const void *form;
    /* Bytes of scratch memory for `count` stored elements of `bytes` each, among `nodes` nodes. */
    size_t (*scratch)(const void *form, size_t count, size_t bytes, int nodes);
    /* Adds the node's operands, exchanges; leaves the sum of all in stripe->sum where it goes. An MPI error code. */
    int (*run)(const void *form, const struct topo_node_stripe *stripe);
};

/* Whole sums, step by step; the largest node has `ranks`. */
struct topo_node_exchange topo_exchange_steps(const struct topo_node_steps *steps, int ranks);

/* Reduce-scatter, then allgather, of all nodes, or gather to one, `root`, unless that is -1 (patterns/halving.h). */
struct topo_halving_target {
    const struct topo_halving *plan;
    const struct topo_levels *levels; /* the plan's */
    int root;
};

/* Where the largest node has `ranks`. */
struct topo_node_exchange topo_exchange_halving(const struct topo_halving_target *target, int ranks);

/* Block by block to one node, `root`, by a plan (plan/bcast.h). */
struct topo_exchange_target {
    int root;
    bool oversubscribed; /* ranks share processors */
    size_t segment;      /* bytes of a block, about; 0: what suits */
    topo_plan_function *plan;
};

/* Where the largest node has `ranks`. */
struct topo_node_exchange topo_exchange_plan(const struct topo_exchange_target *target, int ranks);

/* `range` says what this rank gets of the sum; ranks that get nothing need no
 * vector->result and leave when their part is done. The exchange brings the sum to the nodes
 * of those that do; topo_comm_node() was called before. *there = false, on all ranks alike
 * and with nothing done: there is no shared memory. Returns an MPI error code. */
int topo_node_sum(struct topo_comm *comm, const struct topo_vector *vector, const struct topo_node_exchange *exchange,
                  const struct topo_result_range *range, bool *there);

#endif
