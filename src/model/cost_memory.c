/* What ranks do in the memory that their node shares: copies, and sums as coll/reduction/node_sum.c has them. */
#include "model/cost_parts.h"
#include "patterns/limits.h"
#include "patterns/node_groups.h"
#include "patterns/node_steps.h"

void topo_cost_copy_all(const struct topo_cost_input *in, const struct topo_levels *levels, double bytes, bool hidden)
{
    for (int at = 0; at < in->tree->ranks; at++)
        if (topo_node_ranks(levels, topo_levels_node(levels, at)) > 1)
            topo_load_memory(in->load, topo_tree_rank(in->tree, at), in->params->copy * bytes, bytes, hidden);
}

void topo_cost_shm_copy(const struct topo_cost_input *in, const struct topo_levels *levels, bool to_leader)
{
    for (int node = 0; node < levels->nodes; node++)
        for (int i = levels->start[node] + 1; i < levels->start[node + 1]; i++) {
            int leader = topo_tree_rank(in->tree, levels->start[node]), other = topo_tree_rank(in->tree, i);
            topo_load_message(in->load, to_leader ? other : leader, to_leader ? leader : other, 0);
        }
}

bool topo_cost_oversubscribed(const struct topo_cost_input *in, const struct topo_levels *levels)
{
    return topo_params_oversubscribed(in->params, in->tree->ranks, levels->ranks_most);
}

struct topo_cost_node_sum topo_cost_node_sum_of(const struct topo_cost_input *in, const struct topo_levels *levels,
                                                double bytes)
{
    struct topo_cost_node_sum sum = {.bytes = bytes};
    sum.most = levels->ranks_most;
    sum.stripes = topo_node_steps_ranges((size_t)bytes, levels->nodes, levels->ranks_least);
    sum.own =
        topo_sum_is_own((size_t)bytes, levels->nodes, sum.most, topo_cost_oversubscribed(in, levels)) || sum.most == 1;
    return sum;
}

static int driver(const struct topo_cost_input *in, const struct topo_levels *levels, int node, int stripe)
{
    return topo_tree_rank(in->tree, levels->start[node] + stripe);
}

void topo_cost_put_operands(const struct topo_cost_input *in, const struct topo_levels *levels,
                            const struct topo_cost_node_sum *sum)
{
    for (int at = 0; at < in->tree->ranks && sum->most > 1; at++) {
        bool is_driver = at - levels->start[topo_levels_node(levels, at)] < sum->stripes;
        double bytes = sum->bytes - (is_driver && sum->own ? sum->bytes / sum->stripes : 0);
        topo_load_memory(in->load, topo_tree_rank(in->tree, at), in->params->copy * bytes, bytes, false);
    }
}

void topo_cost_add_operands(const struct topo_cost_input *in, const struct topo_levels *levels,
                            const struct topo_cost_node_sum *sum, double bytes, bool hidden)
{
    for (int node = 0; node < levels->nodes; node++) {
        int ranks = topo_node_ranks(levels, node);
        int turns =
            sum->stripes > 1 ? ranks - 1 : topo_node_additions(in->tree, levels->start[node], levels->start[node + 1]);
        for (int s = 0; s < sum->stripes; s++)
            topo_load_memory(in->load, driver(in, levels, node, s), in->params->gamma * bytes * turns,
                             bytes * (ranks - 1), hidden);
    }
}

void topo_cost_add_received(const struct topo_cost_input *in, const struct topo_cost_node_sum *sum, int rank,
                            double bytes, bool hidden)
{
    topo_load_memory(in->load, rank, in->params->gamma * bytes, sum->own ? 0 : bytes, hidden);
}

void topo_cost_give_total(const struct topo_cost_input *in, const struct topo_levels *levels,
                          const struct topo_cost_node_sum *sum, double bytes)
{
    const double stripe = sum->bytes / sum->stripes;
    bool kept = sum->own && sum->stripes == 1;
    for (int node = 0; node < levels->nodes && sum->own && sum->most > 1; node++)
        for (int s = 0; s < sum->stripes; s++)
            topo_load_memory(in->load, driver(in, levels, node, s), in->params->copy * stripe, stripe, false);
    for (int at = 0; at < in->tree->ranks && sum->most > 1; at++) {
        bool has_it = kept && at == levels->start[topo_levels_node(levels, at)];
        topo_load_memory(in->load, topo_tree_rank(in->tree, at), has_it ? 0 : in->params->copy * bytes,
                         has_it ? 0 : bytes, false);
    }
}

void topo_cost_give_root(const struct topo_cost_input *in, const struct topo_levels *levels,
                         const struct topo_cost_node_sum *sum)
{
    int root = topo_cost_root(in), node = topo_tree_node_of(in->tree, root);
    bool drove = sum->stripes == 1 && driver(in, levels, node, 0) == root;
    if (!drove)
        topo_cost_shm_copy(in, levels, false);
    if (sum->most > 1 && !(drove && sum->own))
        topo_load_memory(in->load, root, in->params->copy * sum->bytes, sum->bytes, false);
}
