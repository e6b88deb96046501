#include "coll/base/node_steps.h"

const struct topo_node_steps *topo_node_steps_of(struct topo_comm *comm, enum topo_node_steps_use use, int radix)
{
    struct topo_node_division *division = topo_node_divided(comm->node, radix);
    struct topo_levels *levels = NULL;
    if (!division)
        return NULL;
    if (!division->steps[use] && topo_levels_new(comm->tree, radix, &levels) == TOPO_OK)
        topo_node_steps_gather(levels, comm->node->index, &division->steps[use]);
    topo_levels_free(levels);
    return division->steps[use];
}

int topo_node_steps_requests(const struct topo_node_steps *steps)
{
    int most = 0;
    for (int r = 0; r < steps->count; r++)
        if (steps->step[r].sends + steps->step[r].receives > most)
            most = steps->step[r].sends + steps->step[r].receives;
    return most;
}
