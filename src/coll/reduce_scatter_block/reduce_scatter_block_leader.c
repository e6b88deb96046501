/* Reduce-scatter of short blocks, all of one length: as coll/reduce_scatter/reduce_scatter_leader.c, which knows them.
 */
#include "coll/reduce_scatter/reduce_scatter.h"

int topo_reduce_scatter_block_leader(const struct topo_reduce_scatter *call)
{
    return topo_reduce_scatter_leader(call);
}
