/* The price of a form: seconds of a call by the plans of its ranks (plan/plan.h), so that an algorithm is told once. */
#ifndef TOPO_MODEL_PRICE_H
#define TOPO_MODEL_PRICE_H

#include "model/params.h"
#include "plan/forms.h"
#include "plan/run.h"

/* Seconds until the last rank is through, from the moment all have called; equal on all ranks, as the machine and the
 * call are: what topo_plans_make_all() takes (plan/together.h). Below 0: memory is out, or the plans do not end.
 *
 * The plans run by plan/run.h, in simulated time. A message starts when both its ends have begun, and takes the latency
 * of its link. Then it has its share of each link on its way (price_links.c). What is handed over in a node, added or
 * copied takes its memory's time (price_memory.c). Of the ranks of a node that only take what is given one stands for
 * all; of a call without a root one node for all, where nodes and units are equal: a message to another node is one to
 * the rank of this node in the same place, and where both ends of one say different distances all nodes are looked at.
 * Of a long vector so many blocks are looked at that each task has had all its turns twice; the others take as long as
 * whatever is busiest is busy with them, or as windows of messages allow. Of a ring some periods are looked at. */
double topo_price(const struct topo_tree *tree, const struct topo_params *params, topo_plan_function *form,
                  const struct topo_plan_input *call);

/* Who is told when each position of a task begins and ends. */
struct topo_price_watch {
    void (*position)(void *context, int rank, int task, const struct topo_step *step, double begin, double end);
    void *context;
};

/* The same of plans that are made, plan[tree->ranks], block by block. */
double topo_price_watched(const struct topo_tree *tree, const struct topo_params *params, const struct topo_plan *plan,
                          const struct topo_plan_input *call, const struct topo_price_watch *watch);

#endif
