/* Recursive doubling on renumbered ranks with an initial exchange; n a power of two (docs/REFERENCES.md,
 * Mapping 5).
 *
 * Cost: log2 n alpha + (n-1) m beta + one message of m bytes. */
#include "coll/allgather/allgather.h"
#include "coll/gather/gather_bruck.h"

int topo_allgather_recursive_doubling_exch(const struct topo_allgather *call)
{
    return topo_allgather_doubling_steps(call, call->comm->renumbering[TOPO_GRAPH_RECURSIVE_DOUBLING][TOPO_RENUMBERING_NEIGHBOURS], TOPO_START_EXCH);
}
