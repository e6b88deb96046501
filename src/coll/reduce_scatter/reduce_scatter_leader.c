/* Reduce-scatter for short vectors: the sum as in an all-reduce (reduction/node_sum.h), of which each rank copies its
 * own part out; on a single node each rank adds up that part by itself.
 *
 * Cost: as all-reduce `leader`, but for what is copied out. */
#include "coll/reduction/node_sum.h"
#include "coll/reduce_scatter/reduce_scatter.h"
#include "coll/base/node_steps.h"

int topo_reduce_scatter_leader(const struct topo_reduce_scatter *call)
{
    struct topo_comm *comm = call->comm;
    const struct topo_node_steps *steps =
        topo_comm_node(comm) ? topo_node_steps_of(comm, TOPO_NODE_STEPS_REDUCE, TOPO_RADIX) : NULL;
    const struct topo_result_range range = {.first = call->first, .end = call->end, .apart = true};
    bool there;
    if (!steps)
        return MPI_ERR_NO_MEM;
    const struct topo_node_exchange exchange = topo_exchange_steps(steps, comm->layout.node_ranks_max);
    int code = topo_node_sum(comm, &call->vector, &exchange, &range, &there);
    if (there)
        return code;
    return topo_comm_declines(comm) ? TOPO_NOT_NOW : topo_reduce_scatter_by_messages(call);
}
