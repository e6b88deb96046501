/* Bruck's allgather on renumbered ranks, blocks put in order at the end (docs/REFERENCES.md, Mapping 5).
 *
 * Cost: ceil(log2 n) alpha + (n-1) m beta; the mapping keeps most
 * bytes off the nodes' links. */
#include "coll/allgather/allgather.h"
#include "coll/gather/gather_bruck.h"

int topo_allgather_bruck_reorder(const struct topo_allgather *call)
{
    return topo_allgather_bruck_steps(call, call->comm->renumbering[TOPO_GRAPH_BRUCK][TOPO_RENUMBERING_WHOLE], TOPO_START_REORDER);
}
