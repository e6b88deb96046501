/* What the tests of partitions share. */
#ifndef TOPO_TESTS_GRAPHS_H
#define TOPO_TESTS_GRAPHS_H

#include "unit.h"

#include "renumber/graph.h"

static inline struct topo_graph *build(enum topo_graph_kind kind, int n)
{
    struct topo_graph *graph = NULL;
    struct topo_error error;
    ck_assert_msg(topo_graph_build(kind, n, &graph, &error) == TOPO_OK, "%s", error.text);
    return graph;
}

static inline int *even_sizes(int n, int parts)
{
    int *sizes = topo_alloc(parts, sizeof *sizes);
    for (int p = 0; p < parts; p++)
        sizes[p] = n / parts + (p < n % parts);
    return sizes;
}

/* Whether part p holds sizes[p] vertices for all p. */
static inline bool exact(const int *part, int n, const int *sizes, int parts)
{
    bool right = true;
    int *count = topo_calloc(parts, sizeof *count);
    for (int v = 0; v < n; v++)
        if (part[v] >= 0 && part[v] < parts)
            count[part[v]]++;
    for (int p = 0; p < parts; p++)
        right = right && count[p] == sizes[p];
    topo_free(count);
    return right;
}

/* The cut counted from the sends of the algorithm, not from the graph. */
static inline int64_t sent_between(enum topo_graph_kind kind, int n, const int *part)
{
    int64_t cut = 0;
    for (int k = 0; k < topo_graph_steps(kind, n); k++)
        for (int v = 0; v < n; v++) {
            int to;
            int64_t blocks = topo_graph_send(kind, n, v, k, &to);
            if (part[v] != part[to])
                cut += blocks;
        }
    return cut;
}

#endif
