/* Costs of the MPI library's collectives; HAN's are in cost_han.c. */
#include "model/cost_parts.h"
#include "patterns/grid.h"
#include "patterns/limits.h"
#include "plan/exchange.h"
#include "renumber/graph.h"

/* Segments passed along the ranks from (or to) the root: all links work at once. */
static double chain(const struct topo_cost_input *in, int root, double bytes, bool adds)
{
    int n = in->tree->ranks;
    double segment = bytes < TOPO_SEGMENT_BYTES ? bytes : TOPO_SEGMENT_BYTES,
           segments = segment > 0 ? bytes / segment : 1;
    for (int i = 0; i + 1 < n; i++) {
        int from = (root + i) % n, to = (root + i + 1) % n;
        topo_load_message(in->load, adds ? to : from, adds ? from : to, segment);
        if (adds)
            topo_load_rank_work(in->load, from, in->params->gamma * segment, false);
    }
    return topo_load_step(in->load) * (n - 2 + segments);
}

static double tree_or_chain(const struct topo_cost_input *in, int root, bool adds)
{
    double bytes = (double)in->call->bytes;
    double tree = topo_cost_tree(in, NULL, in->tree->ranks, root, bytes, adds ? TOPO_TREE_REDUCE : TOPO_TREE_BROADCAST);
    double line = bytes > TOPO_SEGMENT_BYTES ? chain(in, root, bytes, adds) : tree;
    return line < tree ? line : tree;
}

/* n-1 steps to the next rank. */
static double ring(const struct topo_cost_input *in, double block, bool adds)
{
    int n = in->tree->ranks;
    for (int i = 0; i < n && n > 1; i++)
        topo_load_message(in->load, i, (i + 1) % n, block);
    if (adds)
        topo_load_work(in->load, in->params->gamma * block);
    return topo_load_step(in->load) * (n - 1);
}

/* Partial sums of `bytes` from one rank to another. */
static void send_partial(const struct topo_cost_input *in, int from, int to, double bytes)
{
    topo_load_message(in->load, from, to, bytes);
    topo_load_rank_work(in->load, to, in->params->gamma * bytes, false);
}

double topo_cost_folded(const struct topo_cost_input *in, enum topo_dim_kind kind, double bytes)
{
    const struct topo_rank_group group = topo_rank_group_folded(in->tree->ranks, NULL);
    const int places = group.ranks - group.extra;
    double part = bytes;
    for (int i = 0; i < group.extra; i++)
        send_partial(in, 2 * i + 1, 2 * i, bytes);
    double seconds = topo_load_step(in->load);
    for (int distance = 1; distance < places; distance *= 2) {
        part /= kind == TOPO_DIM_RING ? 2 : 1;
        for (int adds = 1; adds >= (kind == TOPO_DIM_RING ? 0 : 1); adds--) {
            for (int place = 0; place < places; place++) {
                const int to = topo_rank_group_rank(&group, place ^ distance);
                topo_load_message(in->load, topo_rank_group_rank(&group, place), to, part);
                topo_load_rank_work(in->load, to, in->params->gamma * part * adds, false);
            }
            seconds += topo_load_step(in->load);
        }
    }
    for (int i = 0; i < group.extra; i++)
        topo_load_message(in->load, 2 * i, 2 * i + 1, bytes);
    return seconds + topo_load_step(in->load);
}

/* The steps of recursive doubling or Bruck. */
static double graph_steps(const struct topo_cost_input *in, enum topo_graph_kind kind)
{
    int n = in->tree->ranks, steps = topo_graph_steps(kind, n);
    double seconds = 0, m = (double)in->call->bytes;
    for (int step = 0; step < steps; step++) {
        for (int v = 0; v < n; v++) {
            int to;
            double bytes = m * (double)topo_graph_send(kind, n, v, step, &to);
            topo_load_message(in->load, v, to, bytes);
        }
        seconds += topo_load_step(in->load);
    }
    return seconds;
}

/* All n blocks copied once in memory (Bruck's rotation). */
static double copy_all(const struct topo_cost_input *in)
{
    double bytes = (double)in->tree->ranks * (double)in->call->bytes;
    topo_load_work(in->load, bytes * in->params->copy);
    return topo_load_step(in->load);
}

/* Neighbour exchange (Chen et al. 2005): n/2 steps between pairs, to the right
 * and to the left in stage; the first carries one block, the others two. n even. */
static double neighbour(const struct topo_cost_input *in)
{
    int n = in->tree->ranks;
    double seconds[2] = {0, 0}, first = 0;
    for (int stage = 0; stage < 3; stage++) {
        for (int i = 0; i < n; i++) {
            int right = (i % 2 == 0) == (stage % 2 == 0);
            topo_load_message(in->load, i, (i + (right ? 1 : n - 1)) % n, (double)in->call->bytes * (stage ? 2 : 1));
        }
        if (stage == 0)
            first = topo_load_step(in->load);
        else
            seconds[stage - 1] = topo_load_step(in->load);
    }
    int others = n / 2 - 1;
    return first + seconds[0] * ((others + 1) / 2) + seconds[1] * (others / 2);
}

double topo_cost_allgather_native(const struct topo_cost_input *in)
{
    if (in->call->han && topo_cost_han_applies(in))
        return topo_cost_han_allgather(in);
    switch (topo_tuned_allgather(in->tree->ranks, in->call->bytes)) {
    case TOPO_TUNED_RING: return ring(in, (double)in->call->bytes, false);
    case TOPO_TUNED_NEIGHBOUR: return neighbour(in);
    case TOPO_TUNED_RECURSIVE_DOUBLING: return graph_steps(in, TOPO_GRAPH_RECURSIVE_DOUBLING);
    default: return graph_steps(in, TOPO_GRAPH_BRUCK) + copy_all(in);
    }
}

/* Without an order, of elements of 8 bytes. */
double topo_cost_allreduce_native(const struct topo_cost_input *in)
{
    const int n = in->tree->ranks;
    const double bytes = (double)in->call->bytes;
    if (in->call->han && topo_cost_han_applies(in))
        return topo_cost_han_allreduce(in);
    switch (topo_tuned_allreduce(n, in->call->bytes)) {
    case TOPO_TUNED_RING: return ring(in, bytes / n, true) + ring(in, bytes / n, false);
    case TOPO_TUNED_RABENSEIFNER: return topo_cost_folded(in, TOPO_DIM_RING, bytes);
    case TOPO_TUNED_LINEAR:
        return topo_cost_tree(in, NULL, n, 0, bytes, TOPO_TREE_REDUCE) +
               topo_cost_tree(in, NULL, n, 0, bytes, TOPO_TREE_BROADCAST);
    default: return topo_cost_folded(in, TOPO_DIM_EXCHANGE, bytes);
    }
}

/* From each rank to the next, one after the other (Open MPI 4.1 and 5.0, scan_intra_linear); hops at one level cost the
 * same. */
static double passed_on(const struct topo_cost_input *in, double bytes)
{
    double hop[TOPO_LEVELS_MAX + 1], seconds = 0;
    for (int level = 0; level <= TOPO_LEVELS_MAX; level++)
        hop[level] = -1;
    for (int rank = 1; rank < in->tree->ranks; rank++) {
        double *its = &hop[topo_tree_shared_levels(in->tree, rank - 1, rank)];
        if (*its < 0) {
            topo_load_message(in->load, rank - 1, rank, bytes);
            topo_load_rank_work(in->load, rank, in->params->gamma * bytes, false);
            *its = topo_load_step(in->load);
        }
        seconds += *its;
    }
    return seconds;
}

/* Rank i to rank i + step, all at once. */
static double shift(const struct topo_cost_input *in, int step)
{
    int n = in->tree->ranks;
    for (int from = 0; from < n; from++)
        topo_load_message(in->load, from, (from + step) % n, topo_cost_bytes(in, from, (from + step) % n));
    return topo_load_step(in->load);
}

/* Equal messages of many ranks: how long a step takes hardly changes from one to the next, and is the same backwards,
 * so some are looked at and those between two lie between them. Where ranks are dealt round the nodes, each of so many
 * steps stays inside them, and the sum is some percent off (tests/unit/check_cost prints it). */
static double pairwise_of_many(const struct topo_cost_input *in)
{
    int n = in->tree->ranks, at = 1;
    double seconds = shift(in, 0), last = shift(in, 1);
    seconds += 2 * last;
    while (at < n / 2) {
        int next = at + 1 + at / 8 < n / 2 ? at + 1 + at / 8 : n / 2;
        double here = shift(in, next);
        seconds += (last + here) * (next - at - 1) + 2 * here;
        at = next;
        last = here;
    }
    return n % 2 == 0 ? seconds - last : seconds;
}

double topo_cost_pairwise(const struct topo_cost_input *in)
{
    enum { MANY = 512 };
    int n = in->tree->ranks;
    double seconds = 0;
    if (n > MANY && !in->call->matrix)
        return pairwise_of_many(in);
    for (int step = 0; step < n; step++)
        seconds += shift(in, step);
    return seconds;
}

double topo_cost_alltoallv_native(const struct topo_cost_input *in)
{
    return topo_tuned_alltoallv(in->tree->ranks) == TOPO_TUNED_LINEAR ? topo_cost_exchange(in, topo_plan_exchange)
                                                                      : topo_cost_pairwise(in);
}

/* Half of all blocks in each of log2 n steps. */
static double bruck(const struct topo_cost_input *in)
{
    int n = in->tree->ranks;
    double seconds = 0, m = (double)in->call->bytes;
    for (int distance = 1; distance < n; distance *= 2) {
        int blocks = 0;
        for (int i = 0; i < n; i++)
            blocks += (i & distance) != 0;
        for (int i = 0; i < n; i++)
            topo_load_message(in->load, i, (i + distance) % n, m * blocks);
        topo_load_work(in->load, in->params->copy * m * blocks);
        seconds += topo_load_step(in->load);
    }
    return seconds;
}

double topo_cost_alltoall_native(const struct topo_cost_input *in)
{
    switch (topo_tuned_alltoall(in->tree->ranks, in->call->bytes)) {
    case TOPO_TUNED_BRUCK: return bruck(in);
    case TOPO_TUNED_PAIRWISE: return topo_cost_pairwise(in);
    default: return topo_cost_exchange(in, topo_plan_exchange);
    }
}

static double native(enum topo_native_operation operation, int root, const struct topo_cost_input *in)
{
    int n = in->tree->ranks;
    double bytes = (double)in->call->bytes;
    switch (operation) {
    case TOPO_NATIVE_BARRIER: return topo_cost_folded(in, TOPO_DIM_EXCHANGE, 0);
    case TOPO_NATIVE_BROADCAST: return tree_or_chain(in, root, false);
    case TOPO_NATIVE_REDUCE: return tree_or_chain(in, root, true);
    case TOPO_NATIVE_GATHER: return topo_cost_tree(in, NULL, n, root, bytes, TOPO_TREE_GATHER);
    case TOPO_NATIVE_SCATTER: return topo_cost_tree(in, NULL, n, root, bytes, TOPO_TREE_SCATTER);
    case TOPO_NATIVE_ALLGATHERV: return ring(in, bytes, false);
    case TOPO_NATIVE_ALLTOALL: return topo_cost_alltoall_native(in);
    case TOPO_NATIVE_ALLTOALLV: return topo_cost_alltoallv_native(in);
    case TOPO_NATIVE_SCAN: return passed_on(in, bytes);
    }
    return -1;
}

double topo_cost_barrier_native(const struct topo_cost_input *in)
{
    if (in->call->han && topo_cost_han_applies(in))
        return topo_cost_han_barrier(in);
    return native(TOPO_NATIVE_BARRIER, 0, in);
}

double topo_cost_bcast_native(const struct topo_cost_input *in)
{
    if (in->call->han && topo_cost_han_applies(in))
        return topo_cost_han_bcast(in);
    return native(TOPO_NATIVE_BROADCAST, in->call->root, in);
}

double topo_cost_reduce_native(const struct topo_cost_input *in)
{
    if (in->call->han && topo_cost_han_applies(in))
        return topo_cost_han_reduce(in);
    return native(TOPO_NATIVE_REDUCE, in->call->root, in);
}

double topo_cost_gather_native(const struct topo_cost_input *in)
{
    return native(TOPO_NATIVE_GATHER, topo_cost_root(in), in);
}

double topo_cost_scatter_native(const struct topo_cost_input *in)
{
    return native(TOPO_NATIVE_SCATTER, topo_cost_root(in), in);
}

/* Lengths are the root's alone, so it takes each block by itself, or sends it. */
static double one_by_one(const struct topo_cost_input *in, bool gathers)
{
    const int root = topo_cost_root(in);
    for (int rank = 0; rank < in->tree->ranks; rank++)
        topo_load_message(in->load, gathers ? rank : root, gathers ? root : rank, (double)in->call->bytes);
    return topo_load_step(in->load);
}

double topo_cost_gatherv_native(const struct topo_cost_input *in)
{
    return one_by_one(in, true);
}

double topo_cost_scatterv_native(const struct topo_cost_input *in)
{
    return one_by_one(in, false);
}

double topo_cost_scan_native(const struct topo_cost_input *in)
{
    return native(TOPO_NATIVE_SCAN, 0, in);
}

double topo_cost_exscan_native(const struct topo_cost_input *in)
{
    return native(TOPO_NATIVE_SCAN, 0, in);
}

double topo_cost_allgatherv_native(const struct topo_cost_input *in)
{
    return native(TOPO_NATIVE_ALLGATHERV, 0, in);
}

/* Partial sums of half of the blocks in each step, over the longest distance first. Ranks beyond a power of two are
 * folded into others, which add up their blocks, too (Open MPI 4.1, reduce_scatter_intra_basic_recursivehalving). */
static double halving(const struct topo_cost_input *in, double block)
{
    int n = in->tree->ranks;
    const struct topo_rank_group group = topo_rank_group_folded(n, NULL);
    const int places = n - group.extra, doubled = group.extra; /* the first places have two blocks each */
    for (int i = 0; i < doubled; i++)
        send_partial(in, 2 * i + 1, 2 * i, block * n);
    double seconds = topo_load_step(in->load);
    for (int distance = places / 2; distance > 0; distance /= 2) {
        for (int place = 0; place < places; place++) {
            int first = (place ^ distance) / distance * distance, end = first + distance;
            int blocks = distance + (end < doubled ? end : doubled) - (first < doubled ? first : doubled);
            send_partial(in, topo_rank_group_rank(&group, place), topo_rank_group_rank(&group, place ^ distance),
                         block * blocks);
        }
        seconds += topo_load_step(in->load);
    }
    for (int i = 0; i < doubled; i++)
        topo_load_message(in->load, 2 * i, 2 * i + 1, block);
    return seconds + topo_load_step(in->load);
}

/* By halves or, where that is shorter, in a ring. */
double topo_cost_reduce_scatter_native(const struct topo_cost_input *in)
{
    double bytes = (double)in->call->bytes, around = ring(in, bytes, true), halves = halving(in, bytes);
    return around < halves ? around : halves;
}

double topo_cost_reduce_scatter_block_native(const struct topo_cost_input *in)
{
    return topo_cost_reduce_scatter_native(in);
}

double topo_cost_native(enum topo_native_operation operation, int root, const struct topo_tree *tree,
                        const struct topo_params *params, const struct topo_cost_call *call)
{
    struct topo_cost_input in = {.tree = tree, .params = params, .call = call, .order = &tree->order};
    double seconds = -1;
    if (tree->ranks == 1)
        return 0;
    if (topo_load_new(tree, params, &in.load, NULL) == TOPO_OK)
        seconds = native(operation, root, &in);
    topo_load_free(in.load);
    return seconds;
}
