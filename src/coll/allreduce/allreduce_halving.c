/* All-reduce for vectors of medium length and on many nodes: the sum through node-shared memory (reduction/node_sum.h),
 * in stripes with a rank of each node for each; between nodes reduce-scatter and allgather, with one message to each
 * partner in a step (reduction/exchange_halving.c). The bits are those of leader and lanes.
 *
 * Cost: with N nodes and levels of at most r parts 2 ceil(log_r N) (alpha + (r - 1) o) + 2m(1 - 1/N) beta, o the
 * processor's time for a message, plus two hand-overs, p m gamma and two copies inside the node. */
#include "coll/allreduce/allreduce.h"
#include "coll/reduction/node_sum.h"

int topo_allreduce_halving(const struct topo_allreduce *call)
{
    struct topo_comm *comm = call->comm;
    struct topo_node *node = topo_comm_node(comm);
    const struct topo_halving *plan = node ? topo_node_halving(node) : NULL;
    bool there;
    if (!plan)
        return MPI_ERR_NO_MEM;
    const struct topo_halving_target everybody = {.plan = plan, .root = -1};
    const struct topo_node_exchange exchange = topo_exchange_halving(&everybody, comm->layout.node_ranks_max);
    const struct topo_result_range all = {.end = call->vector.count};
    int code = topo_node_sum(comm, &call->vector, &exchange, &all, &there);
    if (there)
        return code;
    return topo_comm_declines(comm) ? TOPO_NOT_NOW : topo_allreduce_recursive_halving(call);
}
