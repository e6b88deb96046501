/* What ranks do in the memory that their node shares. */
#include "model/cost_parts.h"

void topo_cost_copy_all(const struct topo_cost_input *in, const struct topo_levels *levels, double bytes, bool hidden)
{
    for (int at = 0; at < in->tree->ranks; at++)
        if (topo_node_ranks(levels, topo_levels_node(levels, at)) > 1)
            topo_load_memory(in->load, topo_tree_rank(in->tree, at), in->params->copy * bytes, bytes, hidden);
}

double topo_cost_give_out(const struct topo_cost_input *in, const struct topo_levels *levels, double bytes)
{
    int root = topo_cost_root(in), root_node = topo_tree_node_of(in->tree, root);
    for (int node = 0; node < levels->nodes; node++) {
        int rank = node == root_node ? root : topo_tree_rank(in->tree, levels->start[node]);
        if (topo_node_ranks(levels, node) > 1)
            topo_load_memory(in->load, rank, in->params->copy * bytes, bytes, false);
    }
    topo_cost_shm_copy(in, levels, false);
    double seconds = topo_load_step(in->load);
    for (int at = 0; at < in->tree->ranks; at++) {
        int node = topo_levels_node(levels, at), rank = topo_tree_rank(in->tree, at);
        if (node == root_node ? rank != root : at != levels->start[node])
            topo_load_memory(in->load, rank, in->params->copy * bytes, bytes, false);
    }
    return seconds + topo_load_step(in->load);
}
