/* Broadcast of many bytes: segment by segment from node to node in the tree's order, so
 * that every link carries them once in and once out, and each unit of each level is
 * entered once (where the root is not in the first one, left and entered again).
 *
 * Cost: with p segments of b bytes and n nodes, (p + n - 2) (alpha + b beta), plus two
 * copies inside the node beside them. */
#include "coll/bcast/bcast_pipeline.h"
#include "job/job.h"

static int from(const struct topo_levels *levels, int root, int node)
{
    (void)root;
    return (node > 0 ? node : levels->nodes) - 1;
}

static int to(const struct topo_levels *levels, int root, int node, int *next)
{
    *next = (node + 1) % levels->nodes;
    return *next != root;
}

int topo_bcast_chain(const struct topo_bcast *call)
{
    struct topo_node *node = topo_comm_node(call->comm);
    if (!node)
        return MPI_ERR_NO_MEM;
    const struct topo_bcast_tree tree = {.levels = node->levels,
                                         .from = from,
                                         .to = to,
                                         .most = 1,
                                         .cut = topo_pipeline_of(call->data.bytes, node->levels->nodes - 2,
                                                                 topo_job.oversubscribed,
                                                                 call->comm->call.parameters.segment)};
    return topo_bcast_pipeline(call, &tree);
}
