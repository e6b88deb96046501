/* Bruck's allgather on renumbered ranks with an initial exchange (docs/REFERENCES.md, Mapping 5).
 *
 * Cost: ceil(log2 n) alpha + (n-1) m beta + one message of m bytes; the
 * mapping keeps most bytes off the nodes' links. */
#include "coll/allgather/allgather.h"
#include "coll/gather/gather_bruck.h"

int topo_allgather_bruck_exch(const struct topo_allgather *call)
{
    return topo_allgather_bruck_steps(call, call->comm->renumbering[TOPO_GRAPH_BRUCK][TOPO_RENUMBERING_NEIGHBOURS], TOPO_START_EXCH);
}
