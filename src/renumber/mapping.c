#include "renumber/mapping.h"

#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "renumber/descend.h"

/* Blocks that cross each level when rank rank_of[v] plays v (rank v itself when
 * NULL), as the algorithm sends them. */
static void count_blocks(const struct topo_mapping *mapping, const struct topo_tree *tree, const int *rank_of,
                         int64_t blocks[TOPO_LEVELS_MAX + 1])
{
    const struct topo_graph *given = mapping->given;
    int n = tree->ranks, steps = given ? 0 : topo_graph_steps(mapping->graph, n);
    memset(blocks, 0, (TOPO_LEVELS_MAX + 1) * sizeof *blocks);
    for (int v = 0; v < n; v++) {
        int from = rank_of ? rank_of[v] : v;
        for (int64_t e = given ? given->row[v] : 0; given && e < given->row[v + 1]; e++) {
            int to = given->neighbour[e];
            if (to > v)
                blocks[topo_tree_shared_levels(tree, from, rank_of ? rank_of[to] : to)] += given->weight[e];
        }
        for (int k = 0; k < steps; k++) {
            int to;
            int64_t sent = topo_graph_send(mapping->graph, n, v, k, &to);
            blocks[topo_tree_shared_levels(tree, from, rank_of ? rank_of[to] : to)] += sent;
        }
    }
}

/* Whether no other numbering can be better on any level. A unit of s ranks must
 * receive the n - s blocks of the others, each at least once; summed over the
 * units of a level that is n (units - 1). A ring enters each unit at least once,
 * with n - 1 blocks. */
static bool is_optimal(const struct topo_tree *tree, enum topo_graph_kind graph, const int64_t *blocks)
{
    int64_t cut = 0, n = tree->ranks;
    if (graph == TOPO_GRAPH_NONE)
        return false;
    for (int level = 0; level < tree->levels; level++) {
        int64_t units = tree->units[level];
        cut += blocks[level];
        if (cut > (graph == TOPO_GRAPH_RING && units > 1 ? (n - 1) * units : n * (units - 1)))
            return false;
    }
    return true;
}

/* Whether `a` sends fewer blocks than `b` across the outermost level where they differ. */
static bool is_better(const struct topo_tree *tree, const int64_t *a, const int64_t *b)
{
    for (int level = 0; level < tree->levels; level++)
        if (a[level] != b[level])
            return a[level] < b[level];
    return false;
}

static int64_t node_cut(const struct topo_tree *tree, const int64_t *blocks)
{
    int64_t cut = 0;
    for (int level = 0; level <= topo_tree_node_level(tree); level++)
        cut += blocks[level];
    return cut;
}

/* Takes `trial` over. */
static void take(struct topo_mapping *mapping, const struct topo_tree *tree, const int *trial, const int64_t *blocks,
                 const char *method)
{
    memcpy(mapping->bytes_after, blocks, sizeof mapping->bytes_after);
    mapping->method = method;
    mapping->optimal = is_optimal(tree, mapping->graph, blocks);
    memcpy(mapping->pi_inverse, trial, (size_t)tree->ranks * sizeof *trial);
}

/* Takes `trial` over when it is better than what the mapping has. */
static void take_better(struct topo_mapping *mapping, const struct topo_tree *tree, const int *trial,
                        const char *method)
{
    int64_t blocks[TOPO_LEVELS_MAX + 1];
    count_blocks(mapping, tree, trial, blocks);
    if (is_better(tree, blocks, mapping->bytes_after))
        take(mapping, tree, trial, blocks, method);
}

/* Fills trial[] by partitions of the graph. */
static enum topo_status partition(const struct topo_mapping *mapping, const struct topo_tree *tree, int *trial,
                                  struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_graph_end) struct topo_graph *graph = NULL;
    if (mapping->given)
        return topo_descend_partition(tree, mapping->given, false, mapping->partitioner, trial, error);
    enum topo_status status = topo_graph_build(mapping->graph, tree->ranks, &graph, error);
    if (status == TOPO_OK)
        status = topo_descend_partition(tree, graph, true, mapping->partitioner, trial, error);
    return status;
}

/* Fills pi_inverse[] and bytes_after[]: the numbering as it is, that of a ring or the
 * closed form, and last, the only dear one, the partition of the graph. */
static enum topo_status choose(struct topo_mapping *mapping, const struct topo_tree *tree, int *trial,
                               struct topo_error *error)
{
    enum topo_status status;
    for (int v = 0; v < tree->ranks; v++)
        trial[v] = v;
    take(mapping, tree, trial, mapping->bytes_before, "as placed");
    if (mapping->graph == TOPO_GRAPH_RING) {
        topo_tree_order(tree, trial);
        take_better(mapping, tree, trial, "tree order");
        return TOPO_OK;
    }
    if (mapping->partitioner == TOPO_PARTITIONER_METIS) {
        int64_t blocks[TOPO_LEVELS_MAX + 1];
        status = partition(mapping, tree, trial, error);
        if (status != TOPO_OK)
            return status;
        count_blocks(mapping, tree, trial, blocks);
        take(mapping, tree, trial, blocks, "METIS's partition");
        return TOPO_OK;
    }
    if (mapping->optimal)
        return TOPO_OK;
    status = topo_descend_bit_reversed(tree, trial, error);
    if (status != TOPO_OK)
        return status;
    take_better(mapping, tree, trial, "bit-reversed classes");
    if (mapping->optimal)
        return TOPO_OK;
    status = partition(mapping, tree, trial, error);
    if (status == TOPO_OK)
        take_better(mapping, tree, trial, "graph partition");
    return status;
}

static enum topo_status make(const struct topo_tree *tree, enum topo_graph_kind graph, const struct topo_graph *given,
                             enum topo_partitioner partitioner, struct topo_mapping **mapping, struct topo_error *error)
{
    uint64_t begin = topo_clock_ns();
    TOPO_SCOPED_BY(topo_mapping_end) struct topo_mapping *made = NULL;
    TOPO_SCOPED int *trial = NULL;
    size_t n = (size_t)tree->ranks;
    enum topo_status status = given ? TOPO_OK : topo_graph_possible(graph, tree->ranks, error);
    *mapping = NULL;
    if (status != TOPO_OK)
        return status;
    made = topo_calloc(1, sizeof *made);
    trial = topo_alloc(n, sizeof *trial);
    if (made) {
        made->pi = topo_alloc(n, sizeof *made->pi);
        made->pi_inverse = topo_alloc(n, sizeof *made->pi_inverse);
    }
    if (!made || !trial || !made->pi || !made->pi_inverse)
        return topo_fail(error, TOPO_NOMEM, "mapping of %d ranks: out of memory", tree->ranks);
    made->ranks = tree->ranks;
    made->graph = graph;
    made->given = given;
    made->partitioner = partitioner;
    count_blocks(made, tree, NULL, made->bytes_before);
    status = choose(made, tree, trial, error);
    if (status != TOPO_OK)
        return status;
    for (int v = 0; v < tree->ranks; v++)
        made->pi[made->pi_inverse[v]] = v;
    made->edge_cut_before = node_cut(tree, made->bytes_before);
    made->edge_cut_after = node_cut(tree, made->bytes_after);
    made->build_seconds = 1e-9 * (double)(topo_clock_ns() - begin);
    *mapping = TOPO_KEPT(made);
    return status;
}

enum topo_status topo_mapping_build(const struct topo_tree *tree, enum topo_graph_kind graph,
                                    enum topo_partitioner partitioner, struct topo_mapping **mapping,
                                    struct topo_error *error)
{
    return make(tree, graph, NULL, partitioner, mapping, error);
}

enum topo_status topo_mapping_of_graph(const struct topo_tree *tree, const struct topo_graph *graph,
                                       enum topo_partitioner partitioner, struct topo_mapping **mapping,
                                       struct topo_error *error)
{
    *mapping = NULL;
    if (graph->vertices != tree->ranks)
        return topo_fail(error, TOPO_INVALID, "a graph of %d vertices on %d ranks", graph->vertices, tree->ranks);
    return make(tree, TOPO_GRAPH_NONE, graph, partitioner, mapping, error);
}

void topo_mapping_free(struct topo_mapping *mapping)
{
    if (!mapping)
        return;
    topo_free_all(mapping->pi, mapping->pi_inverse, mapping);
}

enum topo_status topo_mapping_check(const struct topo_mapping *mapping, const struct topo_tree *tree,
                                    struct topo_error *error)
{
    int64_t before[TOPO_LEVELS_MAX + 1], after[TOPO_LEVELS_MAX + 1];
    int n = tree->ranks;
    if (mapping->ranks != n)
        return topo_fail(error, TOPO_INVALID, "mapping of %d ranks on a tree of %d", mapping->ranks, n);
    for (int i = 0; i < n; i++) {
        if (mapping->pi[i] < 0 || mapping->pi[i] >= n || mapping->pi_inverse[i] < 0 || mapping->pi_inverse[i] >= n)
            return topo_fail(error, TOPO_INVALID, "mapping: number %d goes outside 0..%d", i, n - 1);
        /* Both compositions the identity: a bijection, which fills every unit exactly. */
        if (mapping->pi_inverse[mapping->pi[i]] != i || mapping->pi[mapping->pi_inverse[i]] != i)
            return topo_fail(error, TOPO_INVALID, "mapping: pi and pi_inverse disagree on %d", i);
    }
    count_blocks(mapping, tree, NULL, before);
    count_blocks(mapping, tree, mapping->pi_inverse, after);
    for (int z = 0; z <= tree->levels; z++)
        if (before[z] != mapping->bytes_before[z] || after[z] != mapping->bytes_after[z])
            return topo_fail(error, TOPO_INVALID,
                             "mapping: level %d is crossed by %lld and %lld blocks, not %lld and %lld", z,
                             (long long)before[z], (long long)after[z], (long long)mapping->bytes_before[z],
                             (long long)mapping->bytes_after[z]);
    if (mapping->edge_cut_before != node_cut(tree, before) || mapping->edge_cut_after != node_cut(tree, after))
        return topo_fail(error, TOPO_INVALID, "mapping: wrong edge cut between nodes");
    if (mapping->partitioner != TOPO_PARTITIONER_METIS && is_better(tree, before, after))
        return topo_fail(error, TOPO_INVALID, "mapping: worse than the ranks as they are");
    return TOPO_OK;
}
