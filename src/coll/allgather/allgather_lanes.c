/* Allgather of long blocks through node-shared memory: coll/gather/gather_lanes.c. */
#include "coll/allgather/allgather.h"

int topo_allgather_lanes(const struct topo_allgather *call)
{
    return topo_gather_lanes(call);
}
