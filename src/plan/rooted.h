/* Plans of gathers to a root and of scatters from one. A rank's vector has the blocks alone that come to it or that it
 * has from the start, in the order of struct topo_plan.order, whose numbers are places in the tree; where there is no
 * order, those of all ranks by rank. */
#ifndef TOPO_PLAN_ROOTED_H
#define TOPO_PLAN_ROOTED_H

#include "plan/forms.h"

/* From so many bytes on a sender of a direct gather waits until the root has a receive for its block. MPI keeps shorter
 * ones natively, too, so that ranks leave the call before the root comes. */
enum { TOPO_ROOTED_AWAITED = 65536 };

/* By a tree of nodes; every block by itself. */
topo_plan_function topo_plan_gather_up, topo_plan_gather_direct;
topo_plan_function topo_plan_scatter_down, topo_plan_scatter_direct;

/* Whether a form is one of these. */
static inline bool topo_plan_is_rooted(topo_plan_function *form)
{
    return form == topo_plan_gather_up || form == topo_plan_gather_direct || form == topo_plan_scatter_down ||
           form == topo_plan_scatter_direct;
}

#endif
