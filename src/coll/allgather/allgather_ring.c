/* Allgather along a ring of the ranks in tree order: coll/gather/gather_ring.c. */
#include "coll/allgather/allgather.h"

int topo_allgather_ring(const struct topo_allgather *call)
{
    return topo_gather_ring(call);
}
