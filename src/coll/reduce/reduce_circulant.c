/* Reduce for long vectors on many nodes: the sum through node-shared memory (reduction/node_sum.h), block by block on a
 * circulant graph to the root's node (reduction/exchange_plan.c); long vectors in stripes, a rank of each node for
 * each.
 *
 * Cost: with b blocks of s bytes and n nodes, (b - 1 + ceil(log2 n)) (alpha + s beta + s gamma), plus two hand-overs,
 * and p m gamma and two copies inside the node. */
#include "coll/reduce/reduce.h"
#include "coll/reduction/node_sum.h"
#include "job/job.h"

int topo_reduce_circulant(const struct topo_reduce *call)
{
    struct topo_comm *comm = call->comm;
    if (!topo_comm_node(comm))
        return MPI_ERR_NO_MEM;
    const struct topo_exchange_target target = {topo_tree_node_of(comm->tree, call->root), topo_job.oversubscribed,
                                                comm->call.parameters.segment, topo_plan_reduce_circulant};
    const struct topo_node_exchange exchange = topo_exchange_plan(&target, comm->layout.node_ranks_max);
    return topo_reduce_by_exchange(call, &exchange);
}
