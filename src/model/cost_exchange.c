/* Costs of the exchanges that are put together or put in order: node_aware and the scheduled forms. */
#include "base/memory.h"
#include "patterns/levels.h"
#include "model/cost_parts.h"
#include "patterns/limits.h"

/* Bytes of the blocks up to TOPO_AGGREGATED_MOST between two nodes; longer ones become messages of their own in this
 * step. */
static double aggregate(const struct topo_cost_input *in, const struct topo_levels *levels, int from, int to)
{
    double together = 0;
    if (!in->call->matrix) /* longer ones: topo_cost_alltoallv_node_aware() */
        return in->call->bytes <= TOPO_AGGREGATED_MOST
                   ? (double)in->call->bytes * topo_node_ranks(levels, from) * topo_node_ranks(levels, to)
                   : 0;
    for (int i = levels->start[from]; i < levels->start[from + 1]; i++)
        for (int k = levels->start[to]; k < levels->start[to + 1]; k++) {
            int sender = topo_tree_rank(in->tree, i), receiver = topo_tree_rank(in->tree, k);
            double bytes = topo_cost_bytes(in, sender, receiver);
            if (bytes <= TOPO_AGGREGATED_MOST && i != k)
                together += bytes;
            else
                topo_load_message(in->load, sender, receiver, bytes);
        }
    return together;
}

double topo_cost_long_share(int ranks, const int64_t *matrix)
{
    double all = 0, longer = 0;
    for (size_t i = 0; i < (size_t)ranks * (size_t)ranks; i++) {
        all += (double)matrix[i];
        longer += matrix[i] > TOPO_AGGREGATED_MOST ? (double)matrix[i] : 0;
    }
    return all > 0 ? longer / all : 0;
}

/* Every rank copies the short blocks that it sends, or receives. */
static void copies(const struct topo_cost_input *in, bool sent)
{
    int n = in->tree->ranks;
    for (int rank = 0; rank < n; rank++) {
        double bytes = in->call->bytes <= TOPO_AGGREGATED_MOST ? (double)in->call->bytes * n : 0;
        if (in->call->matrix)
            bytes = 0;
        for (int other = 0; in->call->matrix && other < n; other++) {
            double block = sent ? topo_cost_bytes(in, rank, other) : topo_cost_bytes(in, other, rank);
            bytes += block <= TOPO_AGGREGATED_MOST ? block : 0;
        }
        topo_load_memory(in->load, rank, bytes * in->params->copy, bytes, false);
    }
}

double topo_cost_alltoallv_node_aware(const struct topo_cost_input *in)
{
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    double seconds = -1;
    if (topo_levels_new(in->tree, 0, &levels) != TOPO_OK)
        return seconds;
    topo_cost_shm_copy(in, levels, true);
    copies(in, true);
    seconds = topo_load_step(in->load);
    if (!in->call->matrix && in->call->bytes > TOPO_AGGREGATED_MOST) {
        if (!topo_load_all_pairs(in->load, (double)in->call->bytes))
            seconds = -1;
    } else if (!in->call->matrix) {
        for (int rank = 0; rank < in->tree->ranks; rank++)
            topo_load_message(in->load, rank, rank, (double)in->call->bytes);
    }
    if (seconds < 0)
        return seconds;
    for (int from = 0; from < levels->nodes; from++)
        for (int to = 0; to < levels->nodes; to++) {
            double bytes = aggregate(in, levels, from, to);
            if (from != to)
                topo_load_message(in->load, topo_tree_rank(in->tree, levels->start[from]),
                                  topo_tree_rank(in->tree, levels->start[to]), bytes);
        }
    seconds += topo_load_step(in->load);
    topo_cost_shm_copy(in, levels, false);
    copies(in, false);
    seconds += topo_load_step(in->load);
    return seconds;
}

double topo_cost_alltoall_node_aware(const struct topo_cost_input *in)
{
    return topo_cost_alltoallv_node_aware(in);
}

/* Equal messages between all need no scheduler: any gives n - 1 steps of a permutation. Others are the schedulers' to
 * say (schedule/scheduler.h). */
static double scheduled(const struct topo_cost_input *in)
{
    return in->call->matrix ? -1 : topo_cost_pairwise(in);
}

#define SCHEDULED(name) \
    double topo_cost_alltoallv_##name(const struct topo_cost_input *in) \
    { \
        return scheduled(in); \
    }
SCHEDULED(drc)
SCHEDULED(sdrc)
SCHEDULED(css)
SCHEDULED(ggp)
