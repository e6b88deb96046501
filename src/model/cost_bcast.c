/* Cost of the broadcasts that use node-shared memory. */
#include <math.h>

#include "base/memory.h"
#include "patterns/bcast_tree.h"
#include "model/cost_parts.h"
#include "patterns/pipeline.h"

/* m bytes from the root to all nodes, on levels of at most `radix` parts, and to their ranks; below 0: not known. */
static double down_a_tree(const struct topo_cost_input *in, int radix, double m)
{
    const struct topo_tree *tree = in->tree;
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    double seconds = 0;
    int root = topo_cost_root(in), root_node = topo_tree_node_of(tree, root);
    if (topo_levels_new(tree, radix, &levels) != TOPO_OK)
        return -1;
    /* Nodes side by side: all messages of a level in one step. */
    for (int step = 0; step < levels->count; step++) {
        for (int node = 0; node < levels->nodes; node++) {
            int level, from = topo_bcast_tree_from(levels, root_node, node, &level);
            if (level != step)
                continue;
            int sender = from == root_node ? root : topo_tree_rank(tree, levels->start[from]);
            topo_load_message(in->load, sender, topo_tree_rank(tree, levels->start[node]), m);
        }
        seconds += topo_load_step(in->load);
    }
    topo_load_work(in->load, 2 * in->params->copy * m);
    topo_cost_shm_copy(in, levels, false);
    seconds += topo_load_step(in->load);
    return seconds;
}

double topo_cost_bcast_leader(const struct topo_cost_input *in)
{
    return down_a_tree(in, topo_given(in->call->parameters.radix, TOPO_RADIX), (double)in->call->bytes);
}

/* From the leaves to the root and back, without a byte. */
double topo_cost_barrier_tree(const struct topo_cost_input *in)
{
    return 2 * down_a_tree(in, topo_given(in->call->parameters.radix, TOPO_WIDE_RADIX), 0);
}

double topo_cost_bcast_chain(const struct topo_cost_input *in)
{
    const struct topo_tree *tree = in->tree;
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    double m = (double)in->call->bytes, seconds;
    int root = topo_cost_root(in), root_node = topo_tree_node_of(tree, root);
    if (topo_levels_new(tree, 0, &levels) != TOPO_OK)
        return -1;
    struct topo_pipeline cut = topo_pipeline_of(in->call->bytes > 0 ? in->call->bytes : 1, levels->nodes - 2,
                                                topo_cost_oversubscribed(in, levels), in->call->parameters.segment);
    double segments = m > (double)cut.segment ? ceil(m / (double)cut.segment) : 1;
    /* Once it runs, all nodes hand a segment on at the same time. */
    for (int i = 1; i < levels->nodes; i++) {
        int from = (root_node + i - 1) % levels->nodes, node = (from + 1) % levels->nodes;
        topo_load_message(in->load, from == root_node ? root : topo_tree_rank(tree, levels->start[from]),
                          topo_tree_rank(tree, levels->start[node]), m / segments);
    }
    topo_load_work(in->load, 2 * in->params->copy * m / segments);
    seconds = topo_cost_pipeline(in, topo_load_step(in->load), levels->nodes > 1 ? levels->nodes - 1 : 1, segments,
                                 cut.ahead);
    topo_cost_shm_copy(in, levels, false);
    seconds += topo_load_step(in->load);
    return seconds;
}
