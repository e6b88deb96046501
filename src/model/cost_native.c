/* Costs of the MPI library's collectives that have no row in the table, and of its barrier,
 * broadcast, reductions and allgather of different blocks. */
#include "model/cost_parts.h"
#include "patterns/grid.h"
#include "patterns/limits.h"

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
    for (int i = 0; i < n; i++)
        topo_load_message(in->load, i, (i + 1) % n, block);
    if (adds)
        topo_load_work(in->load, in->params->gamma * block);
    return topo_load_step(in->load) * (n - 1);
}

static double native(enum topo_native_operation operation, int root, const struct topo_cost_input *in)
{
    int n = in->tree->ranks;
    double bytes = (double)in->call->bytes;
    switch (operation) {
    case TOPO_NATIVE_BARRIER: return topo_cost_folded(in, NULL, TOPO_DIM_EXCHANGE, 0, false);
    case TOPO_NATIVE_BROADCAST: return tree_or_chain(in, root, false);
    case TOPO_NATIVE_REDUCE: return tree_or_chain(in, root, true);
    case TOPO_NATIVE_GATHER: return topo_cost_tree(in, NULL, n, root, bytes, TOPO_TREE_GATHER);
    case TOPO_NATIVE_SCATTER: return topo_cost_tree(in, NULL, n, root, bytes, TOPO_TREE_SCATTER);
    case TOPO_NATIVE_ALLGATHERV: return ring(in, bytes, false);
    case TOPO_NATIVE_ALLTOALL: return topo_cost_alltoall_native(in);
    case TOPO_NATIVE_ALLTOALLV: return topo_cost_alltoallv_native(in);
    case TOPO_NATIVE_SCAN: return topo_cost_folded(in, NULL, TOPO_DIM_EXCHANGE, bytes, false);
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

double topo_cost_allgatherv_native(const struct topo_cost_input *in)
{
    return native(TOPO_NATIVE_ALLGATHERV, 0, in);
}

/* Partial sums of `bytes` from one rank to another. */
static void send_partial(const struct topo_cost_input *in, int from, int to, double bytes)
{
    topo_load_message(in->load, from, to, bytes);
    topo_load_rank_work(in->load, to, in->params->gamma * bytes, false);
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
