/* Allgather of blocks of different lengths: as coll/allgather/allgather_radix.c. */
#include <limits.h>

#include "coll/gather/gather_node_steps.h"
#include "coll/allgatherv/allgatherv.h"

int topo_allgatherv_radix(const struct topo_allgather *call)
{
    return topo_gather_node_steps(call, TOPO_NODE_STEPS_RADIX, call->comm->layout.node_ranks_min + 1, INT_MAX);
}
