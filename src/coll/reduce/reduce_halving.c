/* Reduce for vectors of medium length on many nodes (docs/REFERENCES.md, Node exchanges 5): the sum through node-shared
 * memory (reduction/node_sum.h); between nodes reduce-scatter and gather, with one message to each partner in a step
 * (reduction/exchange_halving.c). Ranks that drive wait for those of other nodes. The bits are those of leader.
 *
 * Cost: with N nodes and levels of at most r parts 2 ceil(log_r N) (alpha + (r - 1) o) + 2m(1 - 1/N) beta, o the
 * processor's time for a message, plus two hand-overs, and p m gamma and two copies inside the node. */
#include "coll/reduce/reduce.h"
#include "coll/reduction/node_sum.h"

int topo_reduce_halving(const struct topo_reduce *call)
{
    struct topo_comm *comm = call->comm;
    struct topo_node *node = topo_comm_node(comm);
    const struct topo_halving *plan = node ? topo_node_halving(node) : NULL;
    if (!plan)
        return MPI_ERR_NO_MEM;
    const struct topo_halving_target target = {plan, topo_node_few_levels(node),
                                               topo_tree_node_of(comm->tree, call->root)};
    const struct topo_node_exchange exchange = topo_exchange_halving(&target, comm->layout.node_ranks_max);
    return topo_reduce_by_exchange(call, &exchange);
}
