/* Reduce-scatter of long blocks, all of one length: as coll/reduce_scatter/reduce_scatter_lanes.c, which knows them. */
#include "coll/reduce_scatter/reduce_scatter.h"

int topo_reduce_scatter_block_lanes(const struct topo_reduce_scatter *call)
{
    return topo_reduce_scatter_lanes(call);
}
