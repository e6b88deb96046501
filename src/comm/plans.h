/* The plans that a communicator's last calls were run by. */
#ifndef TOPO_COMM_PLANS_H
#define TOPO_COMM_PLANS_H

#include "plan/forms.h"

enum { TOPO_PLANS_KEPT = 4 };

/* One of them, and what it was made from beside the communicator. */
struct topo_kept_plan {
    struct topo_plan plan;
    topo_plan_function *form; /* NULL: there is none */
    struct topo_plan_input call;
};

/* All zero at first. The next one that is made takes the place of kept[next]. */
struct topo_plans {
    struct topo_kept_plan kept[TOPO_PLANS_KEPT];
    int next;
};

struct topo_comm;

/* This rank's plan of a form for a call: what *call says beside tree, levels, halving, rank, oversubscribed and
 * parameters, which are those of the call under way, but for a radix that has none. topo_comm_node() was called before,
 * but for forms by rank (plan/gather.h, sum_ranks.h, scan.h). Valid until the next call of the communicator, and while one
 * other is asked for. NULL when memory is out. */
const struct topo_plan *topo_comm_plan(struct topo_comm *comm, topo_plan_function *form,
                                       const struct topo_plan_input *call);

/* The numbers of a form of renumbered ranks, of some the places in the tree; NULL where it has none. */
struct topo_plan_numbers topo_comm_numbers(const struct topo_comm *comm, enum topo_algorithm_id id);

void topo_plans_free(struct topo_plans *plans);

#endif
