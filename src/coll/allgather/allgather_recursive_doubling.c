/* Recursive doubling, blind to the machine; n a power of two (docs/REFERENCES.md, Mapping 4).
 *
 * Cost: log2 n alpha + (n-1) m beta. */
#include "coll/allgather/allgather.h"
#include "coll/gather/gather_bruck.h"

int topo_allgather_recursive_doubling(const struct topo_allgather *call)
{
    return topo_allgather_doubling_steps(call, NULL, TOPO_START_REORDER);
}
