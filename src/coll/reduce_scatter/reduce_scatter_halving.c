/* Reduce-scatter for short vectors on many nodes: the sum as in an all-reduce by `halving`, of which each rank copies
 * its own part out. A vector that is not worth a message for each node goes up a tree and back (patterns/halving.h),
 * with 2 (N - 1) messages among N nodes, where `leader` has N (r - 1) log_r N with levels of r parts. The bits are
 * those of leader and lanes.
 *
 * Cost: as all-reduce `halving`, but for what is copied out. */
#include "coll/reduce_scatter/reduce_scatter.h"
#include "coll/reduction/node_sum.h"

int topo_reduce_scatter_halving(const struct topo_reduce_scatter *call)
{
    struct topo_comm *comm = call->comm;
    struct topo_node *node = topo_comm_node(comm);
    const struct topo_halving *plan = node ? topo_node_halving(node) : NULL;
    const struct topo_result_range range = {.first = call->first, .end = call->end, .apart = true};
    bool there;
    if (!plan)
        return MPI_ERR_NO_MEM;
    const struct topo_halving_target everybody = {.plan = plan, .root = -1};
    const struct topo_node_exchange exchange = topo_exchange_halving(&everybody, comm->layout.node_ranks_max);
    int code = topo_node_sum(comm, &call->vector, &exchange, &range, &there);
    if (there)
        return code;
    return topo_comm_declines(comm) ? TOPO_NOT_NOW : topo_reduce_scatter_by_messages(call);
}
