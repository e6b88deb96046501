/* Costs of the forms on circulant graphs (patterns/circulant.h). */
#include "patterns/circulant.h"
#include "model/cost_parts.h"
#include "patterns/limits.h"
#include "patterns/node_steps.h"

/* Of a phase that takes so many seconds, every message for itself: those of the streams are under way together, so that
 * the latency of one passes while others arrive. */
static double all_rounds(const struct topo_cost_input *in, const struct topo_circulant *circulant, double phase)
{
    return topo_cost_pipeline(in, phase / circulant->phase, 0, (double)circulant->rounds + 1, circulant->streams);
}

/* A full phase stands for all: in each of its rounds a node sends to the one a skip away, while ranks copy the block
 * before into shared memory and out of it. */
double topo_cost_bcast_circulant(const struct topo_cost_input *in)
{
    const struct topo_tree *tree = in->tree;
    struct topo_levels *levels;
    struct topo_circulant circulant;
    double seconds = 0;
    int least, most, root = topo_cost_root(in), root_node = topo_tree_node_of(tree, root);
    if (topo_levels_new(tree, 0, &levels) != TOPO_OK)
        return -1;
    topo_cost_node_sizes(levels, &least, &most);
    int nodes = levels->nodes;
    uint64_t bytes = in->call->bytes,
             segment = topo_circulant_segment(bytes, nodes, most, topo_cost_oversubscribed(in, levels),
                                              in->call->parameters.segment);
    double block = (double)(bytes < segment ? bytes : segment);
    topo_circulant_make(nodes, 0, bytes > segment ? (int64_t)((bytes - 1) / segment + 1) : 1,
                        topo_circulant_streams(bytes, nodes, most, topo_cost_oversubscribed(in, levels)), &circulant);
    double copies = (double)(nodes > 1 ? 1 : circulant.blocks);
    for (int k = 0; k < circulant.phase; k++) {
        for (int node = 0; node < nodes; node++) {
            int number = topo_levels_number(levels, root_node, node),
                to = topo_levels_numbered(levels, root_node, (int)(((int64_t)number + circulant.skip[k]) % nodes));
            if (to != root_node)
                topo_load_message(in->load, node == root_node ? root : topo_tree_rank(tree, levels->start[node]),
                                  topo_tree_rank(tree, levels->start[to]), block);
        }
        for (int at = 0; at < tree->ranks; at++)
            if (topo_node_ranks(levels, topo_levels_node(levels, at)) > 1)
                topo_load_rank_work(in->load, topo_tree_rank(tree, at), in->params->copy * block, true);
        seconds += topo_load_step(in->load);
    }
    if (nodes > 1)
        seconds = all_rounds(in, &circulant, seconds);
    /* The last block's copies hide behind nothing. */
    if (nodes < tree->ranks)
        topo_load_work(in->load, 2 * in->params->copy * block * copies);
    topo_cost_shm_copy(in, levels, false);
    seconds += topo_load_step(in->load);
    topo_levels_free(levels);
    return seconds;
}

/* The same backwards, for each stripe. The operands are put in place before and read after; those of a node are added
 * up as the blocks are sent. */
double topo_cost_reduce_circulant(const struct topo_cost_input *in)
{
    const struct topo_tree *tree = in->tree;
    struct topo_levels *levels;
    struct topo_circulant circulant;
    double m = (double)in->call->bytes, seconds = 0;
    int least, most, root = topo_cost_root(in), root_node = topo_tree_node_of(tree, root);
    if (topo_levels_new(tree, 0, &levels) != TOPO_OK)
        return -1;
    topo_cost_node_sizes(levels, &least, &most);
    int nodes = levels->nodes, stripes = topo_node_steps_ranges(in->call->bytes, nodes, least);
    uint64_t bytes = in->call->bytes / (size_t)stripes, segment;
    const size_t given = in->call->parameters.segment;
    if (!given && topo_circulant_together(in->call->bytes, topo_cost_oversubscribed(in, levels)))
        segment = topo_circulant_segment(in->call->bytes, nodes, most, false, 0) / (uint64_t)stripes;
    else
        segment = topo_circulant_segment(bytes, nodes, most, topo_cost_oversubscribed(in, levels), given);
    double block = (double)(bytes < segment ? bytes : segment);
    topo_circulant_make(nodes, 0, bytes > segment ? (int64_t)((bytes - 1) / segment + 1) : 1,
                        topo_circulant_streams(in->call->bytes, nodes, most, topo_cost_oversubscribed(in, levels)),
                        &circulant);
    for (int k = 0; k < circulant.phase; k++) {
        for (int node = 0; node < nodes; node++) {
            int number = topo_levels_number(levels, root_node, node),
                from = topo_levels_numbered(levels, root_node, (int)(((int64_t)number + circulant.skip[k]) % nodes));
            for (int s = 0; s < stripes; s++) {
                int sender = topo_tree_rank(tree, levels->start[from] + s),
                    receiver = topo_tree_rank(tree, levels->start[node] + s);
                if (from != root_node)
                    topo_load_message(in->load, sender, receiver, block);
                topo_load_rank_work(in->load, receiver, in->params->gamma * block * topo_node_ranks(levels, node),
                                    true);
            }
        }
        seconds += topo_load_step(in->load);
    }
    if (nodes > 1)
        seconds = all_rounds(in, &circulant, seconds);
    topo_cost_shm_copy(in, levels, true);
    topo_load_work(in->load, in->params->copy * m);
    for (int s = 0; nodes == 1 && s < stripes; s++)
        topo_load_rank_work(in->load, topo_tree_rank(tree, s), in->params->gamma * (double)bytes * (most - 1), false);
    seconds += topo_load_step(in->load);
    topo_cost_shm_copy(in, levels, false);
    topo_cost_root_copies(in, levels, m, stripes);
    seconds += topo_load_step(in->load);
    topo_levels_free(levels);
    return seconds;
}
