/* Broadcast of many bytes: segment by segment from node to node in the tree's order, so
 * that every link carries them once in and once out, and each unit of each level is
 * entered once (where the root is not in the first one, left and entered again). Among many nodes,
 * where a link has time for two copies, the chain is divided (patterns/chain.h).
 *
 * Cost: with p segments of b bytes and n nodes, (p + n - 2) (alpha + b beta), divided
 * (p + log2 n - 1) (alpha + 2 b beta), plus two copies inside the node beside them. */
#include "coll/bcast/bcast_pipeline.h"
#include "job/job.h"

static int from(const struct topo_bcast_tree *tree, int root, int node)
{
    (void)root;
    (void)node;
    return tree->place->parent;
}

static int to(const struct topo_bcast_tree *tree, int root, int node, int *next)
{
    (void)root;
    (void)node;
    for (int i = 0; i < tree->place->children; i++)
        next[i] = tree->place->child[i];
    return tree->place->children;
}

int topo_bcast_chain(const struct topo_bcast *call)
{
    const struct topo_comm *comm = call->comm;
    const struct topo_node *node = topo_comm_node(call->comm);
    if (!node)
        return MPI_ERR_NO_MEM;
    int nodes = comm->layout.nodes, root = topo_tree_node_of(comm->tree, call->root), next = (node->index + 1) % nodes;
    bool divided = topo_chain_is_divided(call->data.bytes, nodes, topo_job.oversubscribed);
    struct topo_chain_place place = {(node->index > 0 ? node->index : nodes) - 1, next != root, {next}};
    if (divided && topo_chain_place(node->levels, root, node->index, true, &place) != TOPO_OK)
        return MPI_ERR_NO_MEM;
    const struct topo_bcast_tree tree = {.levels = node->levels,
                                         .from = from,
                                         .to = to,
                                         .most = 2,
                                         .place = &place,
                                         .cut =
                                             topo_pipeline_of(call->data.bytes, topo_chain_passed(nodes, divided),
                                                              topo_job.oversubscribed, comm->call.parameters.segment)};
    return topo_bcast_pipeline(call, &tree);
}
