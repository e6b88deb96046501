/* Native collectives that are trees, and Open MPI's HAN component: two levels,
 * one leader a node, long vectors in segments (docs/REFERENCES.md, Node exchanges 3). */
#include "base/memory.h"
#include "model/cost_parts.h"

enum { HAN_SEGMENT = 64 << 10 };

double topo_cost_tree(const struct topo_cost_input *in, const int *ranks, int count, int root, double bytes,
                      enum topo_tree_kind kind)
{
    double seconds = 0;
    for (int distance = 1; distance < count; distance *= 2) {
        /* Step by step away from the leaves or from the root: the same pairs. */
        for (int v = 0; v + distance < count; v += 2 * distance) {
            int near = (v + root) % count, far = (v + distance + root) % count;
            int subtree = distance < count - v - distance ? distance : count - v - distance;
            near = ranks ? ranks[near] : near;
            far = ranks ? ranks[far] : far;
            bool up = kind == TOPO_TREE_REDUCE || kind == TOPO_TREE_GATHER;
            bool whole = kind == TOPO_TREE_REDUCE || kind == TOPO_TREE_BROADCAST;
            topo_load_message(in->load, up ? far : near, up ? near : far, whole ? bytes : bytes * subtree);
            if (kind == TOPO_TREE_REDUCE)
                topo_load_rank_work(in->load, near, in->params->gamma * bytes, false);
        }
        seconds += topo_load_step(in->load);
    }
    return seconds;
}

/* Nodes work side by side: all their trees in the same steps. */
static double in_nodes(const struct topo_cost_input *in, double bytes, enum topo_tree_kind kind)
{
    int level = topo_tree_node_level(in->tree), size = in->tree->ranks / in->tree->units[level];
    double seconds = 0;
    for (int distance = 1; distance < size; distance *= 2) {
        for (int first = 0; first < in->tree->ranks; first += size)
            for (int v = 0; v + distance < size; v += 2 * distance) {
                int near = topo_tree_rank(in->tree, first + v), far = topo_tree_rank(in->tree, first + v + distance);
                int subtree = distance < size - v - distance ? distance : size - v - distance;
                bool up = kind != TOPO_TREE_BROADCAST;
                topo_load_message(in->load, up ? far : near, up ? near : far,
                                  kind == TOPO_TREE_GATHER ? bytes * subtree : bytes);
                if (kind == TOPO_TREE_REDUCE)
                    topo_load_rank_work(in->load, near, in->params->gamma * bytes, false);
            }
        seconds += topo_load_step(in->load);
    }
    return seconds;
}

bool topo_cost_han_applies(const struct topo_cost_input *in)
{
    int level = topo_tree_node_level(in->tree);
    return in->tree->units[level] > 1 && in->tree->units[level] < in->tree->ranks &&
           topo_tree_is_uniform(in->tree, level);
}

/* The first rank of every node, in scratch memory; NULL when memory is out. */
static int *leaders_of(const struct topo_cost_input *in, int *count)
{
    int nodes = in->tree->units[topo_tree_node_level(in->tree)], size = in->tree->ranks / nodes;
    int *leader = topo_alloc((size_t)nodes, sizeof *leader);
    for (int i = 0; leader && i < nodes; i++)
        leader[i] = topo_tree_rank(in->tree, i * size);
    *count = nodes;
    return leader;
}

double topo_cost_han_allreduce(const struct topo_cost_input *in)
{
    double bytes = (double)in->call->bytes, segment = bytes < HAN_SEGMENT ? bytes : HAN_SEGMENT, longest = 0, sum = 0;
    int count, *leader = leaders_of(in, &count);
    if (!leader)
        return -1;
    double before = topo_load_busy(in->load);
    double stage[] = {
        in_nodes(in, segment, TOPO_TREE_REDUCE), topo_cost_tree(in, leader, count, 0, segment, TOPO_TREE_REDUCE),
        topo_cost_tree(in, leader, count, 0, segment, TOPO_TREE_BROADCAST), in_nodes(in, segment, TOPO_TREE_BROADCAST)};
    for (int i = 0; i < 4; i++) {
        sum += stage[i];
        longest = stage[i] > longest ? stage[i] : longest;
    }
    double segments = segment > 0 ? bytes / segment : 1, busy = topo_load_busy(in->load) - before;
    topo_free(leader);
    return sum + (longest > busy ? longest : busy) * (segments - 1);
}

/* Segments through two stages, between the nodes and inside them. The root's node is taken for the first: nodes are
 * alike. */
static double two_stages(const struct topo_cost_input *in, enum topo_tree_kind kind)
{
    double bytes = (double)in->call->bytes, segment = bytes < HAN_SEGMENT ? bytes : HAN_SEGMENT;
    int count, *leader = leaders_of(in, &count);
    if (!leader)
        return -1;
    double before = topo_load_busy(in->load);
    double between = topo_cost_tree(in, leader, count, 0, segment, kind);
    double inside = in_nodes(in, segment, kind);
    double segments = segment > 0 ? bytes / segment : 1, longest = topo_load_busy(in->load) - before;
    topo_free(leader);
    longest = between > longest ? between : longest;
    longest = inside > longest ? inside : longest;
    return between + inside + longest * (segments - 1);
}

double topo_cost_han_bcast(const struct topo_cost_input *in)
{
    return two_stages(in, TOPO_TREE_BROADCAST);
}

double topo_cost_han_reduce(const struct topo_cost_input *in)
{
    return two_stages(in, TOPO_TREE_REDUCE);
}

/* To the node's first rank, among these, and back. */
double topo_cost_han_barrier(const struct topo_cost_input *in)
{
    double seconds = in_nodes(in, 0, TOPO_TREE_GATHER);
    int count;
    TOPO_SCOPED int *leader = leaders_of(in, &count);
    if (!leader)
        return -1;
    for (int distance = 1; distance < count; distance *= 2) {
        for (int v = 0; v < count; v++)
            topo_load_message(in->load, leader[v], leader[(v + distance) % count], 0);
        seconds += topo_load_step(in->load);
    }
    return seconds + in_nodes(in, 0, TOPO_TREE_BROADCAST);
}

double topo_cost_han_allgather(const struct topo_cost_input *in)
{
    double m = (double)in->call->bytes, n = in->tree->ranks, seconds;
    int count;
    TOPO_SCOPED int *leader = leaders_of(in, &count);
    if (!leader)
        return -1;
    double node = m * n / count;
    seconds = in_nodes(in, m, TOPO_TREE_GATHER);
    for (int held = 1; held < count; held *= 2) { /* Bruck's steps; doubling has the same for powers of two */
        double blocks = held < count - held ? held : count - held;
        for (int v = 0; v < count; v++)
            topo_load_message(in->load, leader[v], leader[(v + count - held) % count], node * blocks);
        seconds += topo_load_step(in->load);
    }
    return seconds + in_nodes(in, m * n, TOPO_TREE_BROADCAST);
}
