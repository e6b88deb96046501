/* Costs of the allgathers that use node-shared memory: leader, radix, lanes. A
 * flag that a rank of a node waits for counts as an empty message inside the node. */
#include "base/memory.h"
#include "levels/lanes.h"
#include "levels/rounds.h"
#include "model/cost_parts.h"

enum { PIECE = 32 << 10 }; /* as coll/allgather has them */

void topo_cost_hand_over(const struct topo_cost_input *in, const struct topo_levels *levels, bool to_leader)
{
    for (int node = 0; node < levels->nodes; node++)
        for (int i = levels->start[node] + 1; i < levels->start[node + 1]; i++) {
            int leader = in->tree->order[levels->start[node]], other = in->tree->order[i];
            topo_load_message(in->load, to_leader ? other : leader, to_leader ? leader : other, 0);
        }
}

/* The rank that drives the messages of a channel on a node. */
static int driver(const struct topo_cost_input *in, const struct topo_levels *levels, int node, int channel,
                  int drivers)
{
    int ranks = topo_node_ranks(levels, node);
    return in->tree->order[levels->start[node] + channel % (drivers < ranks ? drivers : ranks)];
}

/* All nodes' messages of every round, then all blocks copied out. Rounds of all nodes run side by side. */
static double rounds(const struct topo_cost_input *in, int radix, int drivers)
{
    struct topo_levels *levels = NULL;
    struct topo_rounds **node = NULL;
    double m = (double)in->call->bytes, n = in->tree->ranks, seconds = -1;
    int most = 0, count = 0;
    if (topo_levels_new(in->tree, radix, &levels) != TOPO_OK)
        goto out;
    node = topo_calloc((size_t)levels->nodes, sizeof *node);
    for (; node && count < levels->nodes; count++) {
        if (topo_rounds_gather(levels, count, &node[count]) != TOPO_OK)
            goto out;
        most = node[count]->count > most ? node[count]->count : most;
    }
    if (!node)
        goto out;
    topo_load_work(in->load, in->params->copy * m);
    topo_cost_hand_over(in, levels, true);
    seconds = topo_load_step(in->load);
    for (int round = 0; round < most; round++) {
        for (int u = 0; u < levels->nodes; u++)
            for (int i = 0; round < node[u]->count && i < node[u]->round[round].sends; i++) {
                const struct topo_round_message *message = &node[u]->message[node[u]->round[round].send + i];
                topo_load_message(in->load, driver(in, levels, u, message->channel, drivers),
                                  driver(in, levels, message->node, message->channel, drivers), message->ranks * m);
            }
        seconds += topo_load_step(in->load);
    }
    topo_cost_hand_over(in, levels, false);
    topo_load_work(in->load, in->params->copy * m * n);
    seconds += topo_load_step(in->load);
out:
    for (int u = 0; node && u < count; u++)
        topo_rounds_free(node[u]);
    topo_free(node);
    topo_levels_free(levels);
    return seconds;
}

double topo_cost_allgather_leader(const struct topo_cost_input *in)
{
    return rounds(in, TOPO_RADIX, 1);
}

double topo_cost_allgather_radix(const struct topo_cost_input *in)
{
    int level = topo_tree_node_level(in->tree), least = in->tree->ranks;
    int *sizes = topo_alloc((size_t)in->tree->units[level], sizeof *sizes);
    if (!sizes)
        return -1;
    topo_tree_unit_sizes(in->tree, level, sizes);
    for (int u = 0; u < in->tree->units[level]; u++)
        least = sizes[u] < least ? sizes[u] : least;
    topo_free(sizes);
    return rounds(in, least + 1, in->tree->ranks);
}

/* The way of one piece to the last node, once: everything else overlaps. Every
 * node forwards for as many messages as its farthest block took. */
double topo_cost_allgather_lanes(const struct topo_cost_input *in)
{
    struct topo_levels *levels = NULL;
    struct topo_paths *paths = NULL;
    double m = (double)in->call->bytes, n = in->tree->ranks, piece = m < PIECE ? m : PIECE;
    double pieces = m > 0 ? (double)(((size_t)m + PIECE - 1) / PIECE) : 1, seconds = -1;
    int hops = 0;
    if (topo_levels_new(in->tree, 0, &levels) != TOPO_OK)
        goto out;
    if (topo_paths_new(levels, 0, TOPO_PATH_RING, &paths) != TOPO_OK)
        goto out;
    for (int node = 0; node < levels->nodes; node++)
        hops = paths->hops[node] > hops ? paths->hops[node] : hops;
    topo_paths_free(paths);
    paths = NULL;
    for (int node = 0; node < levels->nodes; node++) {
        if (topo_paths_new(levels, node, TOPO_PATH_RING, &paths) != TOPO_OK)
            goto out;
        for (int from = 0; from < levels->nodes; from++)
            for (int i = paths->first_to[from]; i < paths->first_to[from + 1]; i++) {
                /* Blocks of a node are dealt to the lanes between two nodes in turn (levels/lanes.h). */
                int here = topo_node_ranks(levels, node), there = topo_node_ranks(levels, paths->to[i]);
                int lanes = here < there ? here : there, blocks = topo_node_ranks(levels, from);
                for (int lane = 0; lane < lanes && lane < blocks; lane++) {
                    int share = (blocks - lane + lanes - 1) / lanes;
                    topo_load_messages(in->load, in->tree->order[levels->start[node] + lane],
                                       in->tree->order[levels->start[paths->to[i]] + lane], share * pieces, share * m);
                }
            }
        topo_paths_free(paths);
        paths = NULL;
    }
    for (int rank = 0; rank < in->tree->ranks; rank++)
        topo_load_rank_work(in->load, rank, in->params->copy * m * (n + 1), true);
    seconds = topo_load_step(in->load);
    topo_cost_hand_over(in, levels, true);
    topo_cost_hand_over(in, levels, false);
    topo_load_work(in->load, in->params->copy * piece * n);
    seconds += topo_load_step(in->load);
    if (hops > 1) {
        const struct topo_link *link = topo_params_link(in->params, in->tree, 0);
        seconds += (hops - 1) * (link->alpha + piece * link->beta);
    }
out:
    topo_paths_free(paths);
    topo_levels_free(levels);
    return seconds;
}
