#include "coll/node_steps.h"

const struct topo_rounds *topo_rounds_of(struct topo_comm *comm, enum topo_rounds_use use, int radix)
{
    struct topo_shared *shared = comm->shared;
    struct topo_levels *levels = NULL;
    if (!shared->rounds[use] && topo_levels_new(comm->tree, radix, &levels) == TOPO_OK) {
        if (use == TOPO_ROUNDS_REDUCE || use == TOPO_ROUNDS_BARRIER)
            topo_rounds_reduce(levels, shared->node, &shared->rounds[use]);
        else
            topo_rounds_gather(levels, shared->node, &shared->rounds[use]);
    }
    topo_levels_free(levels);
    return shared->rounds[use];
}

int topo_rounds_requests(const struct topo_rounds *rounds)
{
    int most = 0;
    for (int r = 0; r < rounds->count; r++)
        if (rounds->round[r].sends + rounds->round[r].receives > most)
            most = rounds->round[r].sends + rounds->round[r].receives;
    return most;
}
