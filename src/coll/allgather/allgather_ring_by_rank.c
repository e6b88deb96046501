/* Allgather along a ring of the ranks by number: coll/gather/gather_ring.c. */
#include "coll/allgather/allgather.h"

int topo_allgather_ring_by_rank(const struct topo_allgather *call)
{
    return topo_gather_ring_by_rank(call);
}
