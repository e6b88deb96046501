/* Plans of allgathers. By messages between all ranks the vector has a block for each rank, in the order of the ranks'
 * numbers; of `exch` in that of the ranks. */
#ifndef TOPO_PLAN_GATHER_H
#define TOPO_PLAN_GATHER_H

#include "plan/forms.h"

/* From this size on a message a block costs less than copying them together. */
enum { TOPO_PLAN_APART_BYTES = 16384 };

topo_plan_function topo_plan_gather_ring;
topo_plan_function topo_plan_gather_bruck, topo_plan_gather_bruck_exch;
topo_plan_function topo_plan_gather_doubling, topo_plan_gather_doubling_exch;

/* Whether a form is one of these, which know nothing of nodes. */
static inline bool topo_plan_is_by_rank(topo_plan_function *form)
{
    return form == topo_plan_gather_ring || form == topo_plan_gather_bruck || form == topo_plan_gather_bruck_exch ||
           form == topo_plan_gather_doubling || form == topo_plan_gather_doubling_exch;
}

/* Between nodes in few steps. The numbers of blocks are places in the tree, and each node has them in an order of its
 * own (struct topo_plan.order). */
topo_plan_function topo_plan_gather_leader, topo_plan_gather_radix;

/* Whether each block is a message by itself, straight to its place, in such a form with blocks of `bytes`: equal on all
 * ranks. */
static inline bool topo_plan_is_apart(enum topo_algorithm_id id, size_t bytes)
{
    return id == TOPO_ALGORITHM_allgather_ring || id == TOPO_ALGORITHM_allgather_ring_by_rank ||
           bytes >= TOPO_PLAN_APART_BYTES;
}

/* Begins a plan with a block for each rank. */
static inline void topo_plan_cut_ranks(const struct topo_plan_input *in, struct topo_plan *plan)
{
    plan->cut = (struct topo_pipeline){.bytes = in->bytes};
    plan->ranks = in->tree->ranks;
}

#endif
