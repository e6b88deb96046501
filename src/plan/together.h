/* The plans of all ranks run together, without MPI: the proof of a form. Every send waits for its receiver and every
 * hand-over in a node for all its ranks, so that a run which ends proves that no ranks wait for each other in a circle,
 * whatever MPI keeps; and as a position begins by what is here alone, one order of execution proves all. */
#ifndef TOPO_PLAN_TOGETHER_H
#define TOPO_PLAN_TOGETHER_H

#include "base/status.h"
#include "machine/tree.h"
#include "plan/forms.h"
#include "renumber/mapping.h"

/* The plans of all ranks, *plan[tree->ranks], of one form for one call: what `call` says beside tree, levels, halving
 * and rank. Of a reduction that of one stripe, empty on ranks that do not drive it. Free with topo_plans_free_all().
 * Errors: TOPO_NOMEM. */
enum topo_status topo_plans_make_all(const struct topo_tree *tree, topo_plan_function *form,
                                     const struct topo_plan_input *call, struct topo_plan **plan);
void topo_plans_free_all(const struct topo_tree *tree, struct topo_plan *plan);

/* Binds plans that go in windows to a call, as topo_plan_in_windows(). Errors: TOPO_NOMEM. */
enum topo_status topo_plans_in_windows(const struct topo_tree *tree, const struct topo_plan_input *call, bool differ,
                                       int rounds, int windows, struct topo_plan *plan);

/* How a form of the catalog renumbers the ranks, on this tree; *mapping NULL: not at all. Free with
 * topo_mapping_free(). Errors as topo_mapping_build(). */
enum topo_status topo_plans_mapping(const struct topo_tree *tree, enum topo_algorithm_id id,
                                    struct topo_mapping **mapping, struct topo_error *error);
/* Of such a mapping, or NULL. */
struct topo_plan_numbers topo_plans_numbers(const struct topo_mapping *mapping);

/* Runs plan[tree->ranks]. TOPO_OK: all is over, every message met a receive of the same blocks, nothing was sent or
 * given before it was here, or lay in two pieces, or was received to meanwhile, and every rank got each block that has
 * bytes, and that it had not from the start, once, or that comes again; of a reduction by up to 64 nodes or ranks: the
 * root's node, or all, have the operands of each in every block once, in order if so, and no rank adds to what is being
 * sent; of a scan each rank has those up to it, in order. Errors: TOPO_INVALID with
 * what is wrong and on which rank, TOPO_NOMEM. */
enum topo_status topo_plans_together(const struct topo_tree *tree, const struct topo_plan *plan,
                                     struct topo_error *error);

#endif
