/* Costs of the all-reduces that use node-shared memory, leader and lanes, and of the
 * barrier. A flag
 * that a rank of a node waits for counts as an empty message inside the node. */
#include "base/memory.h"
#include "levels/rounds.h"
#include "levels/sums.h"
#include "model/cost_parts.h"

enum { STRIP_LEAST = 8192, PIECE = 32768, SLICE_LEAST = 4096, BARRIER_RADIX = 2 }; /* as coll/ has them */

/* Ranks of the smallest and of the largest node. */
static void sizes(const struct topo_levels *levels, int *least, int *most)
{
    *least = *most = topo_node_ranks(levels, 0);
    for (int node = 1; node < levels->nodes; node++) {
        int ranks = topo_node_ranks(levels, node);
        *least = ranks < *least ? ranks : *least;
        *most = ranks > *most ? ranks : *most;
    }
}

/* How many parts of at least `part` bytes there are, 1 to `most`. */
static int parts_of(double bytes, double part, int most)
{
    double parts = bytes / part;
    return parts < 1 ? 1 : parts < most ? (int)parts : most;
}

static int rank_at(const struct topo_cost_input *in, const struct topo_levels *levels, int node, int local)
{
    return in->tree->order[levels->start[node] + local];
}

/* All nodes' messages of round `round` and the additions after it; false: no node has such a round. */
static bool play_round(const struct topo_cost_input *in, const struct topo_levels *levels,
                       struct topo_rounds *const *node, int round, int strips, double strip)
{
    bool any = false;
    for (int u = 0; u < levels->nodes; u++) {
        if (round >= node[u]->count)
            continue;
        const struct topo_round *here = &node[u]->round[round];
        any = true;
        for (int s = 0; s < strips; s++) {
            for (int i = 0; i < here->sends; i++)
                topo_load_message(in->load, rank_at(in, levels, u, s),
                                  rank_at(in, levels, node[u]->message[here->send + i].node, s), strip);
            topo_load_rank_work(in->load, rank_at(in, levels, u, s), in->params->gamma * strip * here->receives, false);
        }
    }
    return any;
}

static double leader(const struct topo_cost_input *in, int radix, double m)
{
    struct topo_levels *levels = NULL;
    struct topo_rounds **node = NULL;
    double seconds = -1;
    int count = 0, least, most, strips;
    if (topo_levels_new(in->tree, radix, &levels) != TOPO_OK)
        goto out;
    node = topo_calloc((size_t)levels->nodes, sizeof *node);
    for (; node && count < levels->nodes; count++)
        if (topo_rounds_reduce(levels, count, &node[count]) != TOPO_OK)
            goto out;
    if (!node)
        goto out;
    sizes(levels, &least, &most);
    strips = parts_of(m, STRIP_LEAST, least);
    topo_load_work(in->load, in->params->copy * m);
    topo_cost_hand_over(in, levels, true);
    for (int u = 0; u < levels->nodes; u++)
        for (int s = 0; s < strips; s++)
            topo_load_rank_work(in->load, rank_at(in, levels, u, s),
                                in->params->gamma * m / strips * (topo_node_ranks(levels, u) - 1), false);
    seconds = topo_load_step(in->load);
    for (int round = 0; play_round(in, levels, node, round, strips, m / strips); round++)
        seconds += topo_load_step(in->load);
    topo_cost_hand_over(in, levels, false);
    topo_load_work(in->load, in->params->copy * m);
    seconds += topo_load_step(in->load);
out:
    for (int u = 0; node && u < count; u++)
        topo_rounds_free(node[u]);
    topo_free(node);
    topo_levels_free(levels);
    return seconds;
}

double topo_cost_allreduce_leader(const struct topo_cost_input *in)
{
    return leader(in, TOPO_RADIX, (double)in->call->bytes);
}

/* An all-reduce of nothing. */
double topo_cost_barrier_leader(const struct topo_cost_input *in)
{
    return leader(in, BARRIER_RADIX, 0);
}

/* The messages of all pieces towards their nodes, or back: all turns together. */
static double exchange(const struct topo_cost_input *in, struct topo_sums *const *sums, double turns, double piece)
{
    const int *order = in->tree->order;
    double m = (double)in->call->bytes;
    for (int at = 0; at < in->tree->ranks; at++) {
        for (int i = 0; i < sums[at]->tasks; i++)
            if (sums[at]->task[i].parent >= 0)
                topo_load_messages(in->load, order[at], order[sums[at]->task[i].parent], turns, turns * piece);
        topo_load_rank_work(in->load, order[at], in->params->copy * m, true);
    }
    return topo_load_step(in->load);
}

/* The first turn's operands are written and added up, and the last one's results
 * read, while nothing else happens; the rest hides behind the messages. */
double topo_cost_allreduce_lanes(const struct topo_cost_input *in)
{
    struct topo_levels *levels = NULL;
    struct topo_sums **sums = topo_calloc((size_t)in->tree->ranks, sizeof *sums);
    double m = (double)in->call->bytes, seconds = -1, turns, piece, turn;
    int least, most, slices;
    if (!sums || topo_levels_new(in->tree, TOPO_RADIX, &levels) != TOPO_OK)
        goto out;
    sizes(levels, &least, &most);
    slices = parts_of(m, (double)SLICE_LEAST * levels->nodes, most);
    for (int at = 0; at < in->tree->ranks; at++)
        if (topo_sums_new(levels, levels->node[at], at - levels->start[levels->node[at]], slices, &sums[at]) != TOPO_OK)
            goto out;
    turns = (double)parts_of(m + (double)PIECE * sums[0]->pieces - 1, (double)PIECE * sums[0]->pieces, INT32_MAX);
    turn = m / turns;
    piece = turn / sums[0]->pieces;
    topo_load_work(in->load, in->params->copy * turn);
    topo_cost_hand_over(in, levels, true);
    for (int at = 0; at < in->tree->ranks; at++) {
        int others = topo_node_ranks(levels, levels->node[at]) - 1;
        topo_load_rank_work(in->load, in->tree->order[at], in->params->gamma * piece * sums[at]->tasks * others, false);
        topo_load_rank_work(in->load, in->tree->order[at],
                            in->params->gamma * piece * sums[at]->tasks * others * (turns - 1), true);
    }
    seconds = topo_load_step(in->load);
    for (int at = 0; at < in->tree->ranks; at++)
        topo_load_rank_work(in->load, in->tree->order[at], in->params->gamma * piece * sums[at]->children * turns,
                            true);
    seconds += exchange(in, sums, turns, piece);
    seconds += exchange(in, sums, turns, piece);
    topo_cost_hand_over(in, levels, false);
    topo_load_work(in->load, in->params->copy * turn);
    seconds += topo_load_step(in->load);
out:
    for (int at = 0; sums && at < in->tree->ranks; at++)
        topo_sums_free(sums[at]);
    topo_free(sums);
    topo_levels_free(levels);
    return seconds;
}
