/* Plans of sums for all ranks by messages between them, which know nothing of nodes' memory. Places on a grid, or in
 * nodes, are the ranks' numbers. */
#ifndef TOPO_PLAN_SUM_RANKS_H
#define TOPO_PLAN_SUM_RANKS_H

#include "plan/forms.h"

/* On in->grid; in stripes of in->uneven; recursive doubling; reduce-scatter and allgather by halves. */
topo_plan_function topo_plan_sum_grid, topo_plan_sum_stripes, topo_plan_sum_doubling, topo_plan_sum_halves;

/* Whether a form is one of these. */
static inline bool topo_plan_sums_by_rank(topo_plan_function *form)
{
    return form == topo_plan_sum_grid || form == topo_plan_sum_stripes || form == topo_plan_sum_doubling ||
           form == topo_plan_sum_halves;
}

/* Into how many blocks such a form cuts the vector of so many ranks, without packets. */
int topo_plan_sum_blocks(topo_plan_function *form, int ranks, const struct topo_plan_input *in);

/* How a vector of `count` elements, at least 1, of so many bytes goes in packets of at most `packet` elements (0: whole
 * blocks, one after the other) where a form cuts it into `blocks`. Equal for many counts. */
struct topo_plan_packets topo_plan_packets_of(int blocks, size_t count, size_t bytes, size_t packet);

#endif
