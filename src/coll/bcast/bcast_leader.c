/* Broadcast of few bytes: the root sends them to one rank of other nodes, which
 * send them on, level by level (patterns/bcast_tree.h).
 *
 * Cost: with k nodes in a group that splits into at most r parts a level,
 * ceil(log_r k) (alpha + (r-1) (o + m beta)), o the processor's time for a message,
 * plus one hand-over and two copies inside the node. */
#include "coll/bcast/bcast_pipeline.h"
#include "job/job.h"
#include "patterns/bcast_tree.h"

static int from(const struct topo_bcast_tree *tree, int root, int node)
{
    return topo_bcast_tree_from(tree->levels, root, node, NULL);
}

static int to(const struct topo_bcast_tree *tree, int root, int node, int *targets)
{
    return topo_bcast_tree_to(tree->levels, root, node, targets);
}

int topo_bcast_leader(const struct topo_bcast *call)
{
    const int radix = topo_given(call->comm->call.parameters.radix, TOPO_RADIX);
    struct topo_bcast_tree tree = {
        .from = from, .to = to, .cut = topo_pipeline_of(call->data.bytes, 0, topo_job.oversubscribed, 0)};
    if (!topo_comm_node(call->comm) || !(tree.levels = topo_node_levels(call->comm->node, radix)))
        return MPI_ERR_NO_MEM;
    tree.most = topo_bcast_tree_most(tree.levels);
    return topo_bcast_pipeline(call, &tree);
}
