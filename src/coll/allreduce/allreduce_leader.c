/* All-reduce for short vectors: the sum through node-shared memory (reduction/node_sum.h), exchanged with one rank of
 * every other node, level by level; all copy the result out.
 *
 * Cost: with k nodes in a group that splits into at most r parts a level,
 * ceil(log_r k) (alpha + (r-1) (o + m beta + m gamma)), o the processor's time for
 * a message, plus two hand-overs, p m gamma and two copies inside the node. */
#include "coll/allreduce/allreduce.h"
#include "coll/reduction/node_sum.h"
#include "coll/base/node_steps.h"

int topo_allreduce_leader(const struct topo_allreduce *call)
{
    struct topo_comm *comm = call->comm;
    const struct topo_node_steps *steps =
        topo_comm_node(comm) ? topo_node_steps_of(comm, TOPO_NODE_STEPS_REDUCE, TOPO_RADIX) : NULL;
    bool there;
    if (!steps)
        return MPI_ERR_NO_MEM;
    const struct topo_result_range all = {.end = call->vector.count};
    const struct topo_node_exchange exchange = topo_exchange_steps(steps, comm->layout.node_ranks_max);
    int code = topo_node_sum(comm, &call->vector, &exchange, &all, &there);
    if (there)
        return code;
    return topo_comm_declines(comm)
               ? TOPO_NOT_NOW
               : topo_allreduce_run_folded(call, &comm->tree->order, comm->position, TOPO_DIM_EXCHANGE);
}
