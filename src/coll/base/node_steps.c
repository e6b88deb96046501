#include "coll/base/node_steps.h"

const struct topo_node_steps *topo_node_steps_of(struct topo_comm *comm, enum topo_node_steps_use use, int radix)
{
    struct topo_node *node = comm->node;
    struct topo_levels *levels = NULL;
    if (!node->steps[use] && topo_levels_new(comm->tree, radix, &levels) == TOPO_OK) {
        if (use == TOPO_NODE_STEPS_REDUCE || use == TOPO_NODE_STEPS_BARRIER)
            topo_node_steps_reduce(levels, node->index, &node->steps[use]);
        else
            topo_node_steps_gather(levels, node->index, &node->steps[use]);
    }
    topo_levels_free(levels);
    return node->steps[use];
}

int topo_node_steps_requests(const struct topo_node_steps *steps)
{
    int most = 0;
    for (int r = 0; r < steps->count; r++)
        if (steps->step[r].sends + steps->step[r].receives > most)
            most = steps->step[r].sends + steps->step[r].receives;
    return most;
}
