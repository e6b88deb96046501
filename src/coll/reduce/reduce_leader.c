/* Reduce for short vectors: the sum through node-shared memory (reduction/node_sum.h),
 * sent to one rank of another node, level by level, until the root's node has it. Only
 * the root waits for the sum; another rank leaves when its operands are in place and
 * what it drives was sent.
 *
 * Cost: with k nodes in a group that splits into at most r parts a level,
 * ceil(log_r k) (alpha + (r-1) (o + m beta + m gamma)), o the processor's time for
 * a message, plus two hand-overs, p m gamma and two copies inside the node. */
#include "coll/reduction/node_sum.h"
#include "coll/reduce/reduce.h"

/* The steps of this rank's node; those of the last root are kept. NULL when memory is out. */
static const struct topo_node_steps *steps_to(struct topo_comm *comm, int root)
{
    struct topo_node *node = comm->node;
    struct topo_node_steps **kept = &node->collect;
    const struct topo_levels *levels = topo_node_few_levels(comm->node);
    int to = topo_tree_node_of(comm->tree, root);
    if (*kept && node->collect_root != to) {
        topo_node_steps_free(*kept);
        *kept = NULL;
    }
    node->collect_root = to;
    return *kept || (levels && topo_node_steps_collect(levels, to, node->index, kept) == TOPO_OK) ? *kept : NULL;
}

int topo_reduce_leader(const struct topo_reduce *call)
{
    struct topo_comm *comm = call->comm;
    const struct topo_node_steps *steps = topo_comm_node(comm) ? steps_to(comm, call->root) : NULL;
    if (!steps)
        return MPI_ERR_NO_MEM;
    const struct topo_node_exchange exchange = topo_exchange_steps(steps, comm->layout.node_ranks_max);
    return topo_reduce_by_exchange(call, &exchange);
}
