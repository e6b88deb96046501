/* Cost of the broadcast that uses node-shared memory. */
#include "levels/spread.h"
#include "model/cost_parts.h"

double topo_cost_bcast_leader(const struct topo_cost_input *in)
{
    const struct topo_tree *tree = in->tree;
    struct topo_levels *levels;
    double m = (double)in->call->bytes, seconds = 0;
    int root = topo_cost_root(in), root_node = topo_tree_node_of(tree, root);
    if (topo_levels_new(tree, TOPO_RADIX, &levels) != TOPO_OK)
        return -1;
    /* Nodes side by side: all messages of a level in one step. */
    for (int step = 0; step < levels->count; step++) {
        for (int node = 0; node < levels->nodes; node++) {
            int level, from = topo_spread_from(levels, root_node, node, &level);
            if (level != step)
                continue;
            int sender = from == root_node ? root : tree->order[levels->start[from]];
            topo_load_message(in->load, sender, tree->order[levels->start[node]], m);
        }
        seconds += topo_load_step(in->load);
    }
    topo_load_work(in->load, 2 * in->params->copy * m);
    topo_cost_hand_over(in, levels, false);
    seconds += topo_load_step(in->load);
    topo_levels_free(levels);
    return seconds;
}
