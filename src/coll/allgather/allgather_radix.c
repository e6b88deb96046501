/* Allgather for blocks of middle size: as leader, but every rank of a node drives
 * the exchange with other nodes, so that p ranks a node reach p + 1 nodes in one
 * round (locality-aware Bruck: docs/REFERENCES.md, Node exchanges 1).
 *
 * Cost: ceil(log_(p+1) N) alpha + (N-1) p m beta, and n m bytes copied inside
 * the node by each rank. */
#include "coll/allgather/allgather.h"
#include "coll/gather/gather_node_steps.h"

#include <limits.h>

int topo_allgather_radix(const struct topo_allgather *call)
{
    return topo_gather_node_steps(call, TOPO_NODE_STEPS_RADIX, call->comm->layout.node_ranks_min + 1, INT_MAX);
}
