/* Cost of the broadcasts that use node-shared memory. */
#include <math.h>

#include "base/memory.h"
#include "patterns/bcast_tree.h"
#include "patterns/chain.h"
#include "model/cost_parts.h"
#include "patterns/pipeline.h"

/* Nodes that hand the root's data on until it is at `node`. */
static int hops_to(const struct topo_levels *levels, int root, int node)
{
    int hops = 0;
    for (; node != root; hops++)
        node = topo_bcast_tree_from(levels, root, node, NULL);
    return hops;
}

/* m bytes from the root to all nodes, on levels of at most `radix` parts, and to their ranks; below 0: not known.
 *
 * A node that has a segment starts its messages level by level, outermost first, and waits for none: so those of all
 * its levels share its link, and the first of them arrives with the last. It receives several segments at a time, and
 * those of a long vector pass it while the root still sends. Starts are those of a step a level, bytes those that all
 * nodes as far from the root have on their way at a time. */
static double down_a_tree(const struct topo_cost_input *in, int radix, double m)
{
    const struct topo_tree *tree = in->tree;
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    double seconds = 0, ahead = m;
    int root = topo_cost_root(in), root_node = topo_tree_node_of(tree, root);
    if (topo_levels_new(tree, radix, &levels) != TOPO_OK)
        return -1;
    if (levels->nodes == 1)
        return topo_cost_give_out(in, levels, m);
    if (m > 0) {
        struct topo_pipeline cut = topo_pipeline_of((size_t)m, 0, topo_cost_oversubscribed(in, levels), 0);
        ahead = m < (double)cut.segment * cut.ahead ? m : (double)cut.segment * cut.ahead;
    }
    for (int step = 0; step < levels->count; step++) {
        for (int node = 0; node < levels->nodes; node++) {
            int level, from = topo_bcast_tree_from(levels, root_node, node, &level);
            if (from < 0)
                continue;
            int sender = from == root_node ? root : topo_tree_rank(tree, levels->start[from]);
            int receiver = topo_tree_rank(tree, levels->start[node]);
            if (level == step)
                topo_load_message(in->load, sender, receiver, 0);
            if (hops_to(levels, root_node, from) == step)
                topo_load_bytes(in->load, sender, receiver, step == 0 ? m : ahead);
        }
        if (step == 0)
            topo_cost_copy_all(in, levels, m - ahead, true);
        seconds += topo_load_step(in->load);
    }
    /* Nodes receive into the memory that they share, and all their ranks copy out. */
    topo_cost_shm_copy(in, levels, false);
    topo_cost_copy_all(in, levels, ahead, false);
    return seconds + topo_load_step(in->load);
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

/* What all nodes hand on at the same time; below 0: not known. */
static double down_a_chain(const struct topo_cost_input *in, const struct topo_levels *levels, bool divided,
                           double bytes)
{
    TOPO_SCOPED int *parent = topo_alloc((size_t)levels->nodes, sizeof *parent);
    int root = topo_cost_root(in), root_node = topo_tree_node_of(in->tree, root);
    if (!parent || (divided && topo_chain_parents(levels, root_node, parent) != TOPO_OK))
        return -1;
    for (int node = 0; node < levels->nodes; node++) {
        int from = divided ? parent[node] : (node > 0 ? node : levels->nodes) - 1;
        if (node != root_node)
            topo_load_message(in->load, from == root_node ? root : topo_tree_rank(in->tree, levels->start[from]),
                              topo_tree_rank(in->tree, levels->start[node]), bytes);
    }
    return topo_load_step(in->load);
}

double topo_cost_bcast_chain(const struct topo_cost_input *in)
{
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    double m = (double)in->call->bytes, seconds;
    if (topo_levels_new(in->tree, 0, &levels) != TOPO_OK)
        return -1;
    if (levels->nodes == 1)
        return topo_cost_give_out(in, levels, m);
    bool oversubscribed = topo_cost_oversubscribed(in, levels),
         divided = topo_chain_is_divided(in->call->bytes, levels->nodes, oversubscribed);
    struct topo_pipeline cut =
        topo_pipeline_of(in->call->bytes > 0 ? in->call->bytes : 1, topo_chain_passed(levels->nodes, divided),
                         oversubscribed, in->call->parameters.segment);
    double segments = m > (double)cut.segment ? ceil(m / (double)cut.segment) : 1;
    if ((seconds = down_a_chain(in, levels, divided, m / segments)) < 0)
        return -1;
    /* It is sent on before it is copied. */
    topo_cost_copy_all(in, levels, m / segments, true);
    seconds = topo_cost_pipeline(in, seconds, topo_load_step(in->load), topo_chain_depth(levels->nodes, divided),
                                 segments, cut.ahead);
    topo_cost_shm_copy(in, levels, false);
    topo_cost_copy_all(in, levels, m / segments, false);
    return seconds + topo_load_step(in->load);
}
