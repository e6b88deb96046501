/* Recursive doubling on renumbered ranks, blocks put in order at the end; n a power of two (docs/REFERENCES.md,
 * Mapping 5).
 *
 * Cost: log2 n alpha + (n-1) m beta. */
#include "coll/allgather/allgather.h"
#include "coll/gather/gather_bruck.h"

int topo_allgather_recursive_doubling_reorder(const struct topo_allgather *call)
{
    return topo_allgather_doubling_steps(call, call->comm->renumbering[TOPO_GRAPH_RECURSIVE_DOUBLING][TOPO_RENUMBERING_WHOLE],
                                         TOPO_START_REORDER);
}
