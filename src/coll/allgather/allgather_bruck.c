/* Bruck's allgather, blind to the machine (docs/REFERENCES.md, Mapping 4).
 *
 * Cost: ceil(log2 n) alpha + (n-1) m beta, with many of the bytes on the nodes' links. */
#include "coll/allgather/allgather.h"
#include "coll/gather/gather_bruck.h"

int topo_allgather_bruck(const struct topo_allgather *call)
{
    return topo_allgather_bruck_steps(call, NULL, TOPO_START_REORDER);
}
