#include "renumber/graph.h"

#include <stdlib.h>
#include <stddef.h>

#include "base/memory.h"

/* An edge leaves every vertex of these graphs with the same offset (Bruck, ring) or
 * mask (recursive doubling); 31 steps reach INT_MAX vertices, each gives Bruck
 * a sender and a receiver. */
enum { STEPS_MAX = 31 };

const char *topo_graph_name(enum topo_graph_kind kind)
{
    static const char *const names[] = {"none", "recursive_doubling", "bruck", "ring"};
    return names[kind];
}

int topo_graph_steps(enum topo_graph_kind kind, int n)
{
    int steps = 0;
    if (kind == TOPO_GRAPH_RING)
        return n > 1;
    while (steps < STEPS_MAX && ((int64_t)1 << steps) < n)
        steps++;
    return steps;
}

int64_t topo_graph_send(enum topo_graph_kind kind, int n, int v, int step, int *to)
{
    int distance = 1 << step;
    if (kind == TOPO_GRAPH_RING) {
        *to = v + 1 < n ? v + 1 : 0;
        return n - 1;
    }
    if (kind == TOPO_GRAPH_RECURSIVE_DOUBLING) {
        *to = v ^ distance;
        return distance;
    }
    *to = v >= distance ? v - distance : v - distance + n;
    return distance <= n - distance ? distance : n - distance;
}

/* The distinct distances (mod n, ascending) at which a vertex of Bruck's graph or
 * of a ring has neighbours, with the blocks of both directions. 2^k and n - 2^j may
 * meet: that pair is one edge. */
static int distances(enum topo_graph_kind kind, int n, int offset[2 * STEPS_MAX], int64_t weight[2 * STEPS_MAX])
{
    int count = 0, steps = topo_graph_steps(kind, n);
    for (int k = 0; k < 2 * steps; k++) {
        int to;
        int64_t blocks = topo_graph_send(kind, n, 0, k / 2, &to);
        int here = k % 2 ? n - to : to; /* whom it sends to, whom it receives from */
        int at = 0;
        while (at < count && offset[at] < here)
            at++;
        if (at < count && offset[at] == here) {
            weight[at] += blocks;
            continue;
        }
        for (int i = count++; i > at; i--) {
            offset[i] = offset[i - 1];
            weight[i] = weight[i - 1];
        }
        offset[at] = here;
        weight[at] = blocks;
    }
    return count;
}

static void fill_distances(struct topo_graph *graph, const int *offset, const int64_t *weight, int degree)
{
    int n = graph->vertices;
    int64_t at = 0;
    for (int v = 0; v < n; v++) {
        int first = 0; /* the first offset that runs past the end: its neighbour is the lowest */
        while (first < degree && offset[first] < n - v)
            first++;
        for (int i = 0; i < degree; i++, at++) {
            int k = first + i < degree ? first + i : first + i - degree;
            graph->neighbour[at] = offset[k] < n - v ? v + offset[k] : v - (n - offset[k]);
            graph->weight[at] = weight[k];
        }
    }
}

static void fill_recursive_doubling(struct topo_graph *graph, int degree)
{
    int64_t at = 0;
    for (int v = 0; v < graph->vertices; v++) {
        /* Ascending: cleared bits lead down, the highest first, then set bits up. */
        for (int k = degree - 1; k >= 0; k--)
            if (v & (1 << k)) {
                graph->neighbour[at] = v ^ (1 << k);
                graph->weight[at++] = (int64_t)2 << k;
            }
        for (int k = 0; k < degree; k++)
            if (!(v & (1 << k))) {
                graph->neighbour[at] = v ^ (1 << k);
                graph->weight[at++] = (int64_t)2 << k;
            }
    }
}

/* A graph with room for `entries` edge ends; NULL when out of memory. */
static struct topo_graph *new_graph(int n, size_t entries)
{
    struct topo_graph *graph = topo_calloc(1, sizeof *graph);
    if (!graph)
        return NULL;
    graph->vertices = graph->numbers = n;
    graph->row = topo_alloc((size_t)n + 1, sizeof *graph->row);
    graph->neighbour = topo_alloc(entries, sizeof *graph->neighbour);
    graph->weight = topo_alloc(entries, sizeof *graph->weight);
    if (graph->row && graph->neighbour && graph->weight)
        return graph;
    topo_graph_free(graph);
    return NULL;
}

enum topo_status topo_graph_possible(enum topo_graph_kind kind, int n, struct topo_error *error)
{
    if (n < 1)
        return topo_fail(error, TOPO_INVALID, "information graph: %d vertices; at least 1 is needed", n);
    if (kind <= TOPO_GRAPH_NONE || kind >= TOPO_GRAPHS)
        return topo_fail(error, TOPO_INVALID, "there is no information graph of the kind %s", topo_graph_name(kind));
    if (kind == TOPO_GRAPH_RECURSIVE_DOUBLING && (n & (n - 1)))
        return topo_fail(error, TOPO_INVALID, "recursive doubling: %d ranks are not a power of two", n);
    return TOPO_OK;
}

enum topo_status topo_graph_build(enum topo_graph_kind kind, int n, struct topo_graph **graph, struct topo_error *error)
{
    int offset[2 * STEPS_MAX], degree = topo_graph_steps(kind, n);
    int64_t weight[2 * STEPS_MAX];
    struct topo_graph *made;
    enum topo_status status = topo_graph_possible(kind, n, error);
    *graph = NULL;
    if (status != TOPO_OK)
        return status;
    if (kind != TOPO_GRAPH_RECURSIVE_DOUBLING)
        degree = distances(kind, n, offset, weight);
    made = new_graph(n, (size_t)n * (size_t)degree);
    if (!made)
        return topo_fail(error, TOPO_NOMEM, "information graph of %d vertices: out of memory", n);
    for (int v = 0; v <= n; v++)
        made->row[v] = (int64_t)v * degree;
    if (kind != TOPO_GRAPH_RECURSIVE_DOUBLING)
        fill_distances(made, offset, weight, degree);
    else
        fill_recursive_doubling(made, degree);
    *graph = made;
    return TOPO_OK;
}

enum topo_status topo_graph_induce(const struct topo_graph *graph, const int *vertices, int count, int *local,
                                   struct topo_graph **induced, struct topo_error *error)
{
    struct topo_graph *made;
    size_t entries = 0;
    for (int i = 0; i < count; i++)
        entries += (size_t)(graph->row[vertices[i] + 1] - graph->row[vertices[i]]);
    *induced = made = new_graph(count, entries);
    if (!made)
        return topo_fail(error, TOPO_NOMEM, "graph of %d vertices: out of memory", count);
    made->numbers = graph->numbers;
    made->number = topo_alloc((size_t)count, sizeof *made->number);
    if (!made->number) {
        topo_graph_free(made);
        *induced = NULL;
        return topo_fail(error, TOPO_NOMEM, "graph of %d vertices: out of memory", count);
    }
    for (int i = 0; i < count; i++) {
        made->number[i] = topo_graph_number(graph, vertices[i]);
        local[vertices[i]] = i;
    }
    made->row[0] = 0;
    for (int i = 0; i < count; i++) {
        int64_t at = made->row[i];
        for (int64_t e = graph->row[vertices[i]]; e < graph->row[vertices[i] + 1]; e++)
            if (local[graph->neighbour[e]] >= 0) {
                made->neighbour[at] = local[graph->neighbour[e]];
                made->weight[at++] = graph->weight[e];
            }
        made->row[i + 1] = at;
    }
    for (int i = 0; i < count; i++)
        local[vertices[i]] = -1;
    return TOPO_OK;
}

static int by_vertices(const void *a, const void *b)
{
    const struct topo_graph_edge *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

/* Each edge from both ends, in twice[2 * count], sorted; those that do not count are left out. How many. */
static size_t both_ends(const struct topo_graph_edge *edges, size_t count, struct topo_graph_edge *twice)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (edges[i].weight <= 0 || edges[i].from == edges[i].to)
            continue;
        twice[kept++] = edges[i];
        twice[kept++] = (struct topo_graph_edge){edges[i].to, edges[i].from, edges[i].weight};
    }
    qsort(twice, kept, sizeof *twice, by_vertices);
    return kept;
}

static void fill_edges(struct topo_graph *graph, const struct topo_graph_edge *edges, size_t count)
{
    int64_t at = 0;
    size_t i = 0;
    for (int v = 0; v < graph->vertices; v++) {
        graph->row[v] = at;
        for (; i < count && edges[i].from == v; i++) {
            if (at > graph->row[v] && graph->neighbour[at - 1] == edges[i].to) {
                graph->weight[at - 1] += edges[i].weight;
            } else {
                graph->neighbour[at] = edges[i].to;
                graph->weight[at++] = edges[i].weight;
            }
        }
    }
    graph->row[graph->vertices] = at;
}

enum topo_status topo_graph_of_edges(int n, const struct topo_graph_edge *edges, size_t count,
                                     struct topo_graph **graph, struct topo_error *error)
{
    *graph = NULL;
    for (size_t i = 0; i < count; i++)
        if (edges[i].from < 0 || edges[i].from >= n || edges[i].to < 0 || edges[i].to >= n)
            return topo_fail(error, TOPO_INVALID, "edge %d to %d: the vertices are 0 to %d", edges[i].from, edges[i].to,
                             n - 1);
    struct topo_graph_edge *twice = topo_alloc(2 * count + 1, sizeof *twice);
    const size_t kept = twice ? both_ends(edges, count, twice) : 0;
    *graph = twice ? new_graph(n, kept + 1) : NULL;
    if (*graph)
        fill_edges(*graph, twice, kept);
    topo_free(twice);
    return *graph ? TOPO_OK : topo_fail(error, TOPO_NOMEM, "graph of %d vertices: out of memory", n);
}

void topo_graph_free(struct topo_graph *graph)
{
    if (!graph)
        return;
    topo_free_all(graph->row, graph->neighbour, graph->weight, graph->number, graph);
}
