/* The plans of all ranks run together, without MPI: the proof of a form. Every send waits for its receiver and every
 * hand-over in a node for all its ranks, so that a run which ends proves that no ranks wait for each other in a circle,
 * whatever MPI keeps; and as a position begins by what is here alone, one order of execution proves all. */
#ifndef TOPO_PLAN_TOGETHER_H
#define TOPO_PLAN_TOGETHER_H

#include "base/status.h"
#include "machine/tree.h"
#include "plan/bcast.h"

/* The plans of all ranks, *plan[tree->ranks], of one form for one call: what `call` says beside tree, levels, halving
 * and rank. Of a reduction that of one stripe, empty on ranks that do not drive it. Free with topo_plans_free_all().
 * Errors: TOPO_NOMEM. */
enum topo_status topo_plans_make_all(const struct topo_tree *tree, topo_plan_function *form,
                                     const struct topo_plan_input *call, struct topo_plan **plan);
void topo_plans_free_all(const struct topo_tree *tree, struct topo_plan *plan);

/* Runs plan[tree->ranks]. TOPO_OK: all is over, every message met a receive of the same blocks, nothing was sent or
 * given before it was here, and every rank that did not have all from the start got each block that has bytes once; of
 * a reduction, on up to 64 nodes: the root's node has each node's operands in every block once, and no rank adds to
 * what it has sent. Errors: TOPO_INVALID with what is wrong and on which rank, TOPO_NOMEM. */
enum topo_status topo_plans_together(const struct topo_tree *tree, const struct topo_plan *plan,
                                     struct topo_error *error);

#endif
