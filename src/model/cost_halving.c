/* Cost of reduce-scatter and allgather or gather between nodes, and of scatter and allgather (patterns/halving.h). */
#include <math.h>

#include "base/memory.h"
#include "model/cost_parts.h"
#include "patterns/halving.h"
#include "patterns/limits.h"
#include "patterns/node_steps.h"

/* Sets kept[level * nodes + node]: the shares that a node goes on with after the step at this level, that of its own
 * block alone, if it has one, after the outermost one. On the level inside it those of the nodes that it is on the way
 * to come on top. `order` has room for all nodes. False when memory is out. */
static bool count_kept(const struct topo_levels *levels, size_t shares, int *order, int *kept)
{
    int nodes = levels->nodes;
    if (!topo_halving_sort_nodes(levels, order))
        return false;
    for (int block = 0; block < nodes; block++)
        kept[order[block]] =
            topo_halving_shares_before(shares, block + 1, nodes) > topo_halving_shares_before(shares, block, nodes);
    for (int z = 0; z + 1 < levels->count; z++) {
        const struct topo_level *level = &levels->level[z];
        int *here = kept + (size_t)z * (size_t)nodes, *inside = here + nodes;
        for (int node = 0; node < nodes; node++)
            inside[node] = here[node];
        for (int node = 0; node < nodes; node++) {
            struct topo_group group = topo_group_of(levels, z, node);
            int lane = node - level->first[group.first + group.mine];
            for (int unit = 0; unit < group.count; unit++)
                if (unit != group.mine)
                    inside[topo_gather_lane_node(level, group.first + unit, lane)] += here[node];
        }
    }
    return true;
}

enum { ALL = -1, REDUCE = -2 }; /* instead of the node that gathers */

/* The messages of one step, of `share` bytes for each share, in every stripe, when they go back to node `to`; REDUCE:
 * they do not. */
static double play_step(const struct topo_cost_input *in, const struct topo_levels *levels, int z, const int *kept,
                        double share, const struct topo_cost_node_sum *sum, int to)
{
    bool back = to != REDUCE;
    const struct topo_level *level = &levels->level[z];
    for (int node = 0; node < levels->nodes; node++) {
        struct topo_group group = topo_group_of(levels, z, node);
        int lane = node - level->first[group.first + group.mine];
        double bytes = share * kept[node];
        for (int s = 0; s < sum->stripes && kept[node] > 0; s++) {
            int rank = topo_tree_rank(in->tree, levels->start[node] + s);
            for (int unit = 0; unit < group.count; unit++) {
                int child = topo_gather_lane_node(level, group.first + unit, lane);
                int other = topo_tree_rank(in->tree, levels->start[child] + s);
                bool goes = !back || (topo_unit_of(level, child) == topo_unit_of(level, to) &&
                                      topo_unit_of(level, node) != topo_unit_of(level, to));
                if (unit != group.mine && goes)
                    topo_load_message(in->load, back ? rank : other, back ? other : rank, bytes);
            }
            if (!back) {
                topo_cost_add_received(in, sum, rank, bytes * (group.count - 1), false);
                topo_load_rank_work(in->load, rank, bytes * in->params->copy * (group.mine > 0), false);
            }
        }
    }
    return topo_load_step(in->load);
}

/* The levels, and what count_kept() sets for so many shares; false: not known. */
static bool open_plan(const struct topo_cost_input *in, struct topo_levels **levels, int **kept)
{
    if (topo_levels_new(in->tree, TOPO_RADIX, levels) != TOPO_OK)
        return false;
    *kept = topo_alloc((size_t)(*levels)->count * (size_t)(*levels)->nodes + (size_t)(*levels)->nodes, sizeof **kept);
    return *kept;
}

static bool fill_plan(const struct topo_levels *levels, size_t shares, int *kept)
{
    TOPO_SCOPED int *order = topo_alloc((size_t)levels->nodes, sizeof *order);
    return order && count_kept(levels, shares, order, kept);
}

/* A sum of `bytes` for node `to`, or for ALL, of which a rank gets the fraction `part`. */
static double sum_for(const struct topo_cost_input *in, size_t bytes, int to, double part)
{
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    TOPO_SCOPED int *kept = NULL;
    if (!open_plan(in, &levels, &kept))
        return -1;
    /* One segment of the vector after the other. */
    double m = (double)bytes, segments = ceil(m / (double)topo_sum_segment(levels->ranks_most));
    m = segments > 1 ? m / segments : m;
    const struct topo_cost_node_sum sum = topo_cost_node_sum_of(in, levels, m);
    double stripe = m / sum.stripes;
    size_t shares = topo_halving_shares((size_t)stripe, levels->nodes);
    double share = stripe / (double)shares;
    if (!fill_plan(levels, shares, kept))
        return -1;
    topo_cost_put_operands(in, levels, &sum);
    topo_cost_shm_copy(in, levels, true);
    double seconds = topo_load_step(in->load);
    topo_cost_add_operands(in, levels, &sum, stripe, false);
    seconds += topo_load_step(in->load);
    for (int z = levels->count; z-- > 0;)
        seconds += play_step(in, levels, z, kept + (size_t)z * (size_t)levels->nodes, share, &sum, REDUCE);
    for (int z = 0; z < levels->count && to != ALL; z++)
        seconds += play_step(in, levels, z, kept + (size_t)z * (size_t)levels->nodes, share, &sum, to);
    if (to == ALL) {
        double gather = topo_cost_scatter_gather(in, levels, kept, share, sum.stripes, -1);
        if (gather < 0)
            return gather;
        seconds += gather;
    }
    if (to != ALL) {
        topo_cost_give_root(in, levels, &sum);
    } else {
        topo_cost_shm_copy(in, levels, false);
        topo_cost_give_total(in, levels, &sum, m * part);
    }
    seconds += topo_load_step(in->load);
    return seconds * (segments > 1 ? segments : 1);
}

double topo_cost_allreduce_halving(const struct topo_cost_input *in)
{
    return sum_for(in, in->call->bytes, ALL, 1);
}

double topo_cost_reduce_scatter_halving(const struct topo_cost_input *in)
{
    int ranks = in->tree->ranks;
    return sum_for(in, in->call->bytes * (size_t)ranks, ALL, 1.0 / ranks);
}

double topo_cost_reduce_scatter_block_halving(const struct topo_cost_input *in)
{
    return topo_cost_reduce_scatter_halving(in);
}

double topo_cost_reduce_halving(const struct topo_cost_input *in)
{
    return sum_for(in, in->call->bytes, topo_tree_node_of(in->tree, topo_cost_root(in)), 1);
}

double topo_cost_halved_bcast(const struct topo_cost_input *in)
{
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    TOPO_SCOPED int *kept = NULL;
    double m = (double)in->call->bytes;
    if (!open_plan(in, &levels, &kept))
        return -1;
    size_t shares = topo_halving_shares(in->call->bytes, levels->nodes);
    if (!fill_plan(levels, shares, kept))
        return -1;
    double seconds = topo_cost_scatter_gather(in, levels, kept, m / (double)shares, 1,
                                              topo_tree_node_of(in->tree, topo_cost_root(in)));
    return seconds < 0 ? seconds : seconds + topo_cost_give_out(in, levels, m);
}
