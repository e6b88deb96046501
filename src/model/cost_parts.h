/* Between the files of the cost model: one function an algorithm, all of one
 * type, collected in the table of cost.c. */
#ifndef TOPO_MODEL_COST_PARTS_H
#define TOPO_MODEL_COST_PARTS_H

#include "patterns/levels.h"
#include "patterns/grid.h"
#include "model/cost.h"
#include "model/load.h"
#include "plan/forms.h"

/* What a cost function gets: `load` is empty, `order` the rank in each place:
 * for an algorithm with a mapping the rank that plays virtual number v, else
 * the ranks in tree order. */
struct topo_cost_input {
    const struct topo_tree *tree;
    const struct topo_params *params;
    const struct topo_cost_call *call;
    struct topo_load *load;
    const struct topo_numbers *order;
};

/* Who plays `number`; `order` NULL: the rank of that number. */
static inline int topo_cost_rank_at(const struct topo_numbers *order, int number)
{
    return order ? topo_numbers_at(order, number) : number;
}

typedef double topo_cost_function(const struct topo_cost_input *in);

/* topo_cost_<operation>_<name>(): every row of the table has one, in cost_<operation>.c or a file that says what it is
 * about. */
#define ALGORITHM(operation, name, ...) topo_cost_function topo_cost_##operation##_##name;
#include "catalog/algorithms.def"

/* The call's root; that of a damaged trace may be anything. */
static inline int topo_cost_root(const struct topo_cost_input *in)
{
    return in->call->root >= 0 && in->call->root < in->tree->ranks ? in->call->root : 0;
}

/* Adds the flags of one hand-over in shared memory to a step: all other ranks of every
 * node tell its first one, or it tells them. */
void topo_cost_shm_copy(const struct topo_cost_input *in, const struct topo_levels *levels, bool to_leader);

/* Every rank that shares its node's memory with others copies `bytes` into it or out of it; hidden: while messages
 * travel. One that has a node to itself shares none. */
void topo_cost_copy_all(const struct topo_cost_input *in, const struct topo_levels *levels, double bytes, bool hidden);

/* A sum of a vector in a node's memory (coll/reduction/node_sum.c). Its `stripes` are each driven by a rank of every
 * node. */
struct topo_cost_node_sum {
    double bytes; /* of the vector */
    int stripes;
    int most; /* ranks of the largest node */
    bool own; /* drivers add up in memory of their own, so that others' sums do not go through the one they share */
};
struct topo_cost_node_sum topo_cost_node_sum_of(const struct topo_cost_input *in, const struct topo_levels *levels,
                                                double bytes);

/* Its parts, each added to the step: all ranks put their operands in place; drivers add up `bytes` of each stripe, the
 * groups of a node side by side where one rank would add them all; one adds what it received. */
void topo_cost_put_operands(const struct topo_cost_input *in, const struct topo_levels *levels,
                            const struct topo_cost_node_sum *sum);
void topo_cost_add_operands(const struct topo_cost_input *in, const struct topo_levels *levels,
                            const struct topo_cost_node_sum *sum, double bytes, bool hidden);
void topo_cost_add_received(const struct topo_cost_input *in, const struct topo_cost_node_sum *sum, int rank,
                            double bytes, bool hidden);

/* Every rank gets `bytes` of the sum; or the root all of it, which it is told, unless it is the rank that has added it
 * up. */
void topo_cost_give_total(const struct topo_cost_input *in, const struct topo_levels *levels,
                          const struct topo_cost_node_sum *sum, double bytes);
void topo_cost_give_root(const struct topo_cost_input *in, const struct topo_levels *levels,
                         const struct topo_cost_node_sum *sum);

/* True where ranks share processors, of which params->cores tells. */
bool topo_cost_oversubscribed(const struct topo_cost_input *in, const struct topo_levels *levels);

/* Forms in rounds: an allgather by lanes; a sum of `bytes` by lanes, of which each rank gets its part alone or all; a
 * reduction along a chain. */
topo_cost_function topo_cost_gather_lanes, topo_cost_chain;
double topo_cost_sum_lanes(const struct topo_cost_input *in, size_t bytes, bool scatters);

/* On a grid of twos over all ranks, folded to a power of two, an all-reduce of `bytes`: EXCHANGE is recursive doubling,
 * RING halving. */
double topo_cost_folded(const struct topo_cost_input *in, enum topo_dim_kind kind, double bytes);

/* Seconds of a binomial tree over ranks[0..count-1] (NULL: by rank) from or to
 * member `root`; up: what a rank has is added or collected, down: the vector of `bytes` passed on. */
enum topo_tree_kind { TOPO_TREE_REDUCE, TOPO_TREE_GATHER, TOPO_TREE_BROADCAST, TOPO_TREE_SCATTER };
double topo_cost_tree(const struct topo_cost_input *in, const int *ranks, int count, int root, double bytes,
                      enum topo_tree_kind kind);

/* An exchange (call->matrix, or call->bytes to each) by the plans of plan/exchange.h; in n steps, rank i to rank i +
 * step. Empty messages: left out; sent. */
double topo_cost_exchange(const struct topo_cost_input *in, topo_plan_function *form);
topo_cost_function topo_cost_pairwise;

/* The share of an exchange's bytes in blocks that node_aware sends by themselves, at once. */
double topo_cost_long_share(int ranks, const int64_t *matrix);

/* Bytes of an exchange from one rank to another. */
double topo_cost_bytes(const struct topo_cost_input *in, int from, int to);

/* Open MPI's HAN: where it applies (several nodes, as many ranks on each), and what it does then. */
bool topo_cost_han_applies(const struct topo_cost_input *in);
topo_cost_function topo_cost_han_allgather;
topo_cost_function topo_cost_han_allreduce;
topo_cost_function topo_cost_han_bcast;
topo_cost_function topo_cost_han_reduce;
topo_cost_function topo_cost_han_barrier;

/* Which algorithm Open MPI 4.1's tuned component takes (its fixed decision). */
enum topo_tuned {
    TOPO_TUNED_LINEAR,
    TOPO_TUNED_BRUCK,
    TOPO_TUNED_RECURSIVE_DOUBLING,
    TOPO_TUNED_RING,
    TOPO_TUNED_NEIGHBOUR,
    TOPO_TUNED_RABENSEIFNER,
    TOPO_TUNED_PAIRWISE,
};
enum topo_tuned topo_tuned_allgather(int ranks, size_t bytes);

/* For commutative operations on elements of 8 bytes; LINEAR: reduce, then broadcast. */
enum topo_tuned topo_tuned_allreduce(int ranks, size_t bytes);

/* LINEAR: everything at once. Bytes from a rank to another. */
enum topo_tuned topo_tuned_alltoall(int ranks, size_t bytes);
enum topo_tuned topo_tuned_alltoallv(int ranks);

#endif
