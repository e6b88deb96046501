/* The plans that a communicator's last calls were run by. */
#ifndef TOPO_COMM_PLANS_H
#define TOPO_COMM_PLANS_H

#include "plan/bcast.h"

enum { TOPO_PLANS_KEPT = 4 };

/* One of them, and what it was made from beside the communicator. */
struct topo_kept_plan {
    struct topo_plan plan;
    bool made;
    enum topo_algorithm_id id;
    int root;
    size_t bytes;
    bool shares;
    struct topo_parameters parameters;
};

/* All zero at first. The next one that is made takes the place of kept[next]. */
struct topo_plans {
    struct topo_kept_plan kept[TOPO_PLANS_KEPT];
    int next;
};

struct topo_comm;

/* This rank's plan of the form `id`, for a vector of `bytes` > 0 and the parameters of the call under way; `shares`:
 * its node has shared memory for it. topo_comm_node() was called before. Valid until the next call of the communicator.
 * NULL when memory is out. */
const struct topo_plan *topo_comm_plan(struct topo_comm *comm, enum topo_algorithm_id id, int root, size_t bytes,
                                       bool shares);

void topo_plans_free(struct topo_plans *plans);

#endif
