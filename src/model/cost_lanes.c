/* Costs of the forms in node-shared memory that keep long vectors moving: lanes. */
#include <math.h>

#include "base/memory.h"
#include "plan/gather.h"
#include "patterns/reduce_cut.h"
#include "model/cost_parts.h"
#include "patterns/limits.h"
#include "plan/sum_lanes.h"

enum { ELEMENT = 8 }; /* bytes; vectors are of doubles here */

double topo_cost_pipeline(const struct topo_cost_input *in, double step, double work, int depth, double segments,
                          int ahead)
{
    double next = step - topo_params_link(in->params, in->tree, 0)->alpha;
    next = next > step / ahead ? next : step / ahead;
    return step * depth + (next > work ? next : work) * (segments - 1);
}

int topo_cost_parts_of(double bytes, double part, int most)
{
    double parts = bytes / part;
    return parts < 1 ? 1 : parts < most ? (int)parts : most;
}

/* Every rank copies so many bytes into its node's windows or out of them. */
static void copy_all(const struct topo_cost_input *in, double bytes, bool hidden)
{
    for (int rank = 0; rank < in->tree->ranks; rank++)
        topo_load_memory(in->load, rank, in->params->copy * bytes, bytes, hidden);
}

/* A rank adds so many bytes to others, `windows` of them in the windows. */
static void add(const struct topo_cost_input *in, int rank, double bytes, double windows, bool hidden)
{
    topo_load_memory(in->load, rank, in->params->gamma * bytes, windows, hidden);
}

/* All blocks one behind the other through every link, the last ones a latency later for each further node, where a
 * segment of each lane is then copied out. All others are as they come, but all copies together may take longer. */
double topo_cost_allgather_lanes(const struct topo_cost_input *in)
{
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    struct topo_paths *paths = NULL;
    double m = (double)in->call->bytes, n = in->tree->ranks, seconds = -1;
    int hops = 1;
    if (topo_levels_new(in->tree, 0, &levels) != TOPO_OK)
        goto out;
    const struct topo_gather_lanes_cut cut =
        topo_gather_lanes_cut(levels, topo_cost_oversubscribed(in, levels), in->call->bytes);
    const size_t given = in->call->parameters.segment, most = given ? given : cut.segment;
    const double segments = m > 0 ? (double)(((size_t)m + most - 1) / most) : 1;
    if (topo_paths_new(levels, 0, cut.kind, &paths) != TOPO_OK)
        goto out;
    for (int node = 0; node < levels->nodes; node++)
        hops = paths->hops[node] > hops ? paths->hops[node] : hops;
    topo_paths_free(paths);
    paths = NULL;
    for (int node = 0; node < levels->nodes; node++) {
        if (topo_paths_new(levels, node, cut.kind, &paths) != TOPO_OK)
            goto out;
        for (int from = 0; from < levels->nodes; from++)
            for (int i = paths->first_to[from]; i < paths->first_to[from + 1]; i++) {
                /* Blocks of a node are given to the lanes between two nodes in turn (plan/gather_lanes.c). */
                int lanes = topo_gather_lanes_between(levels, node, paths->to[i]),
                    blocks = topo_node_ranks(levels, from);
                for (int lane = 0; lane < lanes; lane++) {
                    int first = topo_gather_lane_first(levels, from, lanes, lane);
                    int share = (blocks - first + lanes - 1) / lanes;
                    if (share > 0)
                        topo_load_messages(in->load, topo_tree_rank(in->tree, levels->start[node] + lane),
                                           topo_tree_rank(in->tree, levels->start[paths->to[i]] + lane),
                                           share * segments, share * m);
                }
            }
        topo_paths_free(paths);
        paths = NULL;
    }
    seconds = topo_load_step(in->load) + (hops - 1) * topo_params_link(in->params, in->tree, 0)->alpha;
    copy_all(in, (m < (double)most ? m : (double)most) * levels->ranks_most, false);
    seconds += topo_load_step(in->load);
    copy_all(in, m * (n + 1), false);
    seconds = fmax(seconds, topo_load_step(in->load));
    seconds = fmax(seconds, topo_load_busy(in->load)); /* processors may have to do both */
    topo_cost_shm_copy(in, levels, true);
    topo_cost_shm_copy(in, levels, false);
    seconds += topo_load_step(in->load);
out:
    topo_paths_free(paths);
    return seconds;
}

/* Blocks of the mean length. */
double topo_cost_allgatherv_lanes(const struct topo_cost_input *in)
{
    return topo_cost_allgather_lanes(in);
}

/* Whether a segment of a vector has any numbers; with fewer numbers than segments some have none. */
static bool is_there(size_t bytes, int segment, int segments)
{
    size_t numbers = bytes / ELEMENT;
    if (numbers >= (size_t)segments || bytes == 0)
        return true;
    numbers = numbers > 0 ? numbers : 1;
    return numbers * ((size_t)segment + 1) / (size_t)segments > numbers * (size_t)segment / (size_t)segments;
}

/* Seconds until the partial sums that have the longest way are through, beyond those of one message: a latency for each
 * further one. Negative when memory is out. */
static double further_latency(const struct topo_cost_input *in, const struct topo_levels *levels)
{
    struct topo_paths *paths = NULL;
    int hops = 1;
    if (topo_paths_new(levels, 0, TOPO_PATH_DIRECT, &paths) != TOPO_OK)
        return -1;
    for (int node = 0; node < levels->nodes; node++)
        hops = paths->hops[node] > hops ? paths->hops[node] : hops;
    topo_paths_free(paths);
    return (hops - 1) * topo_params_link(in->params, in->tree, 0)->alpha;
}

/* A vector in segments, of `mean` bytes in a round, whose partial sums travel along these levels. */
struct segments {
    size_t bytes;
    double rounds, mean;
    const struct topo_levels *along;
    struct topo_stripes_dealt dealt;
    bool alike;             /* all are as long; else as long as nodes have ranks */
    double *own, *received; /* by rank: bytes of a round that it adds up of its node, and receives */
};

/* Bytes of a segment of a node's block in a round. */
static double segment_of(const struct segments *segments, int node)
{
    const struct topo_levels *levels = segments->dealt.levels;
    const double mean = (double)levels->start[levels->nodes] / levels->nodes;
    return segments->alike ? segments->mean : segments->mean * topo_node_ranks(levels, node) / mean;
}

/* What a node does for a block, or the messages towards its node, or back: all rounds together. */
static void add_up(const struct topo_cost_input *in, const struct segments *segments, const struct topo_paths *paths,
                   int node, int block, bool messages)
{
    const int stripes = segments->dealt.stripes, from = paths->from[block],
              children = paths->first_to[block + 1] - paths->first_to[block];
    const double bytes = segment_of(segments, block);
    for (int stripe = block * stripes; stripe < (block + 1) * stripes; stripe++) {
        const int rank = topo_tree_rank(in->tree, topo_stripe_driver(&segments->dealt, node, stripe));
        segments->own[rank] += messages ? 0 : bytes;
        segments->received[rank] += messages ? 0 : children * bytes;
        if (messages && from >= 0 && is_there(segments->bytes, stripe, paths->nodes * stripes))
            topo_load_messages(in->load, rank,
                               topo_tree_rank(in->tree, topo_stripe_driver(&segments->dealt, from, stripe)),
                               segments->rounds, segments->rounds * bytes);
    }
}

/* False when memory is out. */
static bool add_up_all(const struct topo_cost_input *in, const struct segments *segments, bool messages)
{
    for (int node = 0; node < segments->along->nodes; node++) {
        TOPO_SCOPED_BY(topo_paths_end) struct topo_paths *paths = NULL;
        if (topo_paths_new(segments->along, node, TOPO_PATH_DIRECT, &paths) != TOPO_OK)
            return false;
        for (int block = 0; block < paths->nodes; block++)
            add_up(in, segments, paths, node, block, messages);
    }
    return true;
}

/* The first iteration's operands are written, the first segment that a rank drives is added up and the last result read
 * while nothing else happens. All else hides behind messages: a rank sends a sum and adds up the next one, and results
 * are read as they come. Of a vector of `bytes`; `returns`: results go back to all nodes; else each rank reads its part
 * only. */
static double sum(const struct topo_cost_input *in, size_t bytes, bool returns)
{
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL, *sum_levels = NULL;
    TOPO_SCOPED double *work = topo_calloc(2 * (size_t)in->tree->ranks, sizeof *work);
    double m = (double)bytes, seconds = -1;
    if (!work || topo_levels_new(in->tree, 0, &levels) != TOPO_OK ||
        topo_levels_new(in->tree, TOPO_RADIX, &sum_levels) != TOPO_OK)
        return seconds;
    const bool oversubscribed = topo_cost_oversubscribed(in, levels);
    struct topo_sum_cut cut;
    if (topo_sum_lanes_cut(levels, sum_levels, bytes, !returns, oversubscribed, &cut) != TOPO_OK)
        return seconds;
    const struct topo_levels *path_levels = cut.direct ? levels : sum_levels;
    const double further = further_latency(in, path_levels);
    if (further < 0)
        return seconds;
    const int blocks = levels->nodes * cut.stripes;
    const double whole = (double)cut.segment * blocks,
                 rounds = (double)topo_cost_parts_of(m + whole - 1, whole, INT32_MAX), round = m / rounds,
                 segment = round / blocks;
    const struct segments segments = {bytes,
                                      rounds,
                                      segment,
                                      path_levels,
                                      topo_stripes_deal(levels, cut.stripes, oversubscribed),
                                      returns,
                                      work,
                                      work + in->tree->ranks};
    bool pipelined = !oversubscribed &&
                     topo_reduce_cut_pipelined(bytes, blocks, cut.segment, TOPO_REDUCE_WINDOWS, levels->ranks_most);
    copy_all(in, pipelined ? 0 : round, false);
    topo_cost_shm_copy(in, levels, true);
    seconds = topo_load_step(in->load);
    if (!add_up_all(in, &segments, false))
        return -1;
    for (int rank = 0; rank < in->tree->ranks; rank++) {
        const int others = topo_node_ranks(levels, topo_tree_node_of(in->tree, rank)) - 1;
        const double each = pipelined ? segment : segment * others,
                     added = pipelined ? round : others * segments.own[rank], first = added < each ? added : each;
        work[rank] = (added + segments.received[rank]) * rounds - first;
        add(in, rank, first, first, false);
    }
    seconds += topo_load_step(in->load);
    for (int rank = 0; rank < in->tree->ranks; rank++)
        add(in, rank, work[rank], work[rank], true);
    copy_all(in, pipelined ? 0 : m - round, true);
    const double read = returns ? m : m / in->tree->ranks, last = segment < read ? segment : read;
    for (int back = 0; back <= returns; back++) {
        copy_all(in, back ? read - last : 0, true);
        if (!add_up_all(in, &segments, true))
            return -1;
        seconds += topo_load_step(in->load) + further;
    }
    topo_cost_shm_copy(in, levels, false);
    copy_all(in, returns ? last : read, false);
    return seconds + topo_load_step(in->load);
}

double topo_cost_allreduce_lanes(const struct topo_cost_input *in)
{
    return sum(in, in->call->bytes, true);
}

double topo_cost_reduce_scatter_lanes(const struct topo_cost_input *in)
{
    return sum(in, in->call->bytes * (size_t)in->tree->ranks, false);
}

double topo_cost_reduce_scatter_block_lanes(const struct topo_cost_input *in)
{
    return topo_cost_reduce_scatter_lanes(in);
}

/* What a node does for a stripe of a round of `bytes`, of which a rank adds up `own` of its node; *work and *in_windows
 * by rank. */
static enum topo_status pass_on(const struct topo_cost_input *in, const struct topo_stripes_dealt *dealt, int node,
                                int trees, int stripe, double bytes, double own, double *work, double *in_windows)
{
    struct topo_stripe_place place;
    const int root = topo_tree_node_of(in->tree, topo_cost_root(in)),
              rank = topo_tree_rank(in->tree, topo_stripe_driver(dealt, node, stripe));
    const enum topo_status status = topo_stripe_place(dealt->levels, root, node, trees, stripe, &place);
    if (status != TOPO_OK)
        return status;
    /* Partial sums are added in the windows, or the own one where those have landed. */
    work[rank] += own + bytes * place.children;
    in_windows[rank] += own + bytes * (place.parent >= 0 && place.children > 0 ? 1 : place.children);
    if (place.parent >= 0)
        topo_load_message(in->load, rank, topo_tree_rank(in->tree, topo_stripe_driver(dealt, place.parent, stripe)),
                          bytes);
    return status;
}

/* Iteration by iteration along the chain: once it runs, all nodes hand one on at the same time. */
double topo_cost_reduce_chain(const struct topo_cost_input *in)
{
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    TOPO_SCOPED double *work = topo_calloc((size_t)in->tree->ranks, sizeof *work);
    TOPO_SCOPED double *in_windows = topo_calloc((size_t)in->tree->ranks, sizeof *in_windows);
    double m = (double)in->call->bytes, seconds = -1;
    const int root = topo_cost_root(in);
    if (!work || !in_windows || topo_levels_new(in->tree, 0, &levels) != TOPO_OK)
        return -1;
    const struct topo_reduce_chain_cut cut =
        topo_reduce_cut_chain(in->call->bytes, levels, levels->ranks_most, topo_cost_oversubscribed(in, levels),
                              in->call->parameters.segment);
    int stripes = cut.stripes;
    double segment = (double)cut.segment;
    double iterations = m > segment * stripes ? ceil(m / (segment * stripes)) : 1;
    segment = m / iterations / stripes;
    topo_cost_shm_copy(in, levels, true);
    copy_all(in, segment * stripes, false);
    double first = topo_load_step(in->load);
    const struct topo_stripes_dealt dealt = {levels, stripes, false};
    for (int node = 0; node < levels->nodes; node++)
        for (int stripe = 0; stripe < stripes; stripe++)
            if (pass_on(in, &dealt, node, cut.trees, stripe, segment,
                        cut.pipelined ? 0 : segment * (topo_node_ranks(levels, node) - 1), work, in_windows) != TOPO_OK)
                return seconds;
    for (int rank = 0; rank < in->tree->ranks && cut.pipelined; rank++) {
        work[rank] += segment * stripes;
        in_windows[rank] += segment * stripes;
    }
    double step[2];
    for (int i = 0; i < 2; i++) { /* with the messages, and by itself */
        for (int rank = 0; rank < in->tree->ranks; rank++)
            add(in, rank, work[rank], in_windows[rank], true);
        copy_all(in, cut.pipelined ? 0 : segment * stripes, true);
        step[i] = topo_load_step(in->load);
    }
    int depth = topo_reduce_cut_depth(levels, cut.trees);
    seconds = first + topo_cost_pipeline(in, step[0], step[1], depth > 0 ? depth : 1, iterations,
                                         cut.ahead > TOPO_REDUCE_AHEAD_LEAST ? cut.ahead : TOPO_REDUCE_AHEAD_LEAST);
    topo_cost_shm_copy(in, levels, false);
    topo_load_memory(in->load, root, in->params->copy * segment * stripes, segment * stripes, false);
    seconds += topo_load_step(in->load);
    return seconds;
}
