/* Allgather of long blocks of different lengths: as coll/gather/gather_lanes.c, which knows them. */
#include "coll/allgatherv/allgatherv.h"

int topo_allgatherv_lanes(const struct topo_allgather *call)
{
    return topo_gather_lanes(call);
}
