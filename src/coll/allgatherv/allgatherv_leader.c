/* Allgather of short blocks of different lengths: as coll/allgather/allgather_leader.c. */
#include "coll/gather/gather_node_steps.h"
#include "coll/allgatherv/allgatherv.h"

int topo_allgatherv_leader(const struct topo_allgather *call)
{
    return topo_gather_node_steps(call, TOPO_NODE_STEPS_LEADER, TOPO_RADIX, 1);
}
