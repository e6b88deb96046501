/* Seconds one collective call takes on a machine, under every algorithm: the
 * same figures choose the algorithm of a call and predict a run. */
#ifndef TOPO_MODEL_COST_H
#define TOPO_MODEL_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/tree.h"
#include "model/params.h"
#include "catalog/algorithm.h"

/* What a call moves, beside the machine. */
struct topo_cost_call {
    size_t bytes; /* allgather(v), reduce_scatter(_block): one rank's block, the mean; allreduce, bcast, reduce, (ex)scan: the
                     vector; alltoall, alltoallv: bytes from a rank to another, the mean */
    int root;     /* bcast, reduce */
    /* Alltoallv: bytes[from * ranks + to], or NULL: `bytes` between every two ranks. */
    const int64_t *matrix;
    /* The mapping of an algorithm that has one (topo_mapping.pi_inverse); NULL:
     * estimated by the closed form "virtual number v sits on node v mod nodes". */
    const int *pi_inverse;
    struct topo_parameters parameters; /* of the algorithm, as a rule gives them; 0: its own */
    bool han;                          /* native is Open MPI's HAN where it applies, not `tuned` */
};

/* Seconds from the moment all ranks have called until the last one returns.
 * Negative when there is no such algorithm, it does not apply to this number of
 * ranks, or memory runs out; also for a scheduled form with a matrix, which topo_scheduler_seconds() knows.
 * The time is that of the algorithm's own messages,
 * step by step on shared links (model/load.h). Native is, for allgather, allreduce, alltoall and alltoallv, what Open
 * MPI 4.1's `tuned` component picks for the number of ranks and bytes, blind to placement; for the others a tree,
 * chain, ring or halving near to that (model/cost_native.c). */
#define TOPO_COST_NATIVE_OF "Open MPI 4.1's tuned" /* whatever library runs: MPICH's own choices are not modelled */
double topo_cost(enum topo_algorithm_id id, const struct topo_tree *tree, const struct topo_params *params,
                 const struct topo_cost_call *call);

/* The same for a row of the table or a rule's copy of one, whose parameters count instead of the call's. */
double topo_cost_of(const struct topo_algorithm *algorithm, const struct topo_tree *tree,
                    const struct topo_params *params, const struct topo_cost_call *call);

/* Whether its time is there within some 10 ms on so many ranks and nodes; `even`: all nodes have as many ranks and are
 * in no racks, so that one of them stands for all. */
bool topo_cost_is_quick(enum topo_algorithm_id id, int ranks, int nodes, bool even);

/* The MPI library's other collectives, which have no row. */
enum topo_native_operation {
    TOPO_NATIVE_BARRIER,
    TOPO_NATIVE_BROADCAST,
    TOPO_NATIVE_REDUCE,
    TOPO_NATIVE_GATHER,
    TOPO_NATIVE_SCATTER,
    TOPO_NATIVE_ALLGATHERV, /* bytes: mean block */
    TOPO_NATIVE_ALLTOALL,   /* bytes: to each */
    TOPO_NATIVE_ALLTOALLV,  /* matrix */
    TOPO_NATIVE_SCAN
};

/* The same for one of these, with `root` where there is one: binomial trees or, where
 * it is faster, a pipelined chain; linear or pairwise exchanges; doubling. Open MPI
 * has more forms than these. Negative when memory is out. */
double topo_cost_native(enum topo_native_operation operation, int root, const struct topo_tree *tree,
                        const struct topo_params *params, const struct topo_cost_call *call);

/* The share of an allgather or exchange (of its bytes; matrix: as in topo_cost_call) that is under way as soon
 * as the rank it comes from has called. 0 where others are waited for first: sums, forms whose nodes come together. */
double topo_cost_streams(enum topo_algorithm_id id, int ranks, const int64_t *matrix);

#endif
