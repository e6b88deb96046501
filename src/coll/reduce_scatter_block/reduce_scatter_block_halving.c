/* Reduce-scatter of short blocks on many nodes: as coll/reduce_scatter/reduce_scatter_halving.c, which knows them. */
#include "coll/reduce_scatter/reduce_scatter.h"

int topo_reduce_scatter_block_halving(const struct topo_reduce_scatter *call)
{
    return topo_reduce_scatter_halving(call);
}
