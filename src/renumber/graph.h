/* Information graphs of the algorithms in CSR form (docs/REFERENCES.md, Mapping 2). */
#ifndef TOPO_RENUMBER_GRAPH_H
#define TOPO_RENUMBER_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"
#include "catalog/graph_kind.h"

/* Undirected, each edge stored from both ends; weight = blocks that travel
 * between the two vertices in both directions together at m = 1. A pair that
 * meets in several steps is one edge with the sum. Neighbours ascend. */
struct topo_graph {
    int vertices;
    int64_t *row;    /* [vertices + 1] */
    int *neighbour;  /* [row[vertices]] */
    int64_t *weight; /* [row[vertices]] */
    int *number;     /* [vertices] ascending: the number that each vertex has; NULL: its own */
    int numbers;     /* of the whole graph */
};

/* The virtual number of a vertex. */
static inline int topo_graph_number(const struct topo_graph *graph, int vertex)
{
    return graph->number ? graph->number[vertex] : vertex;
}

/* Number of steps of the algorithm among n ranks: ceil(log2 n). The n - 1 steps of a
 * ring are alike and count as one. 0 for n = 1. */
int topo_graph_steps(enum topo_graph_kind kind, int n);

/* The algorithm as it sends: in step `step` (0 .. topo_graph_steps() - 1) rank v
 * of n sends the returned number of blocks (m = 1) to rank *to. The last step of
 * Bruck carries n - 2^step blocks only, that of a ring n - 1. Recursive doubling: n a power of two. */
int64_t topo_graph_send(enum topo_graph_kind kind, int n, int v, int step, int *to);

/* "bruck", "recursive_doubling", "ring", "none"; static. */
const char *topo_graph_name(enum topo_graph_kind kind);

/* Builds the graph for n vertices. Free with topo_graph_free(). Errors:
 * TOPO_INVALID (n < 1; recursive doubling and n not a power of two), TOPO_NOMEM. */
enum topo_status topo_graph_build(enum topo_graph_kind kind, int n, struct topo_graph **graph,
                                  struct topo_error *error);
/* Whether there is such a graph: TOPO_INVALID and *error as topo_graph_build(). */
enum topo_status topo_graph_possible(enum topo_graph_kind kind, int n, struct topo_error *error);

/* An edge as it is given: `weight` >= 0 of what `from` sends `to`. */
struct topo_graph_edge {
    int from, to, weight;
};

/* The graph on vertices 0..n-1 of `count` edges in any order: those of a pair, either way, become one with their
 * sum; those of weight 0 and of a vertex to itself are left out. Free with topo_graph_free(). Errors:
 * TOPO_INVALID (a vertex that there is not), TOPO_NOMEM. */
enum topo_status topo_graph_of_edges(int n, const struct topo_graph_edge *edges, size_t count,
                                     struct topo_graph **graph, struct topo_error *error);

/* The graph induced by `count` vertices of `graph`, given ascending: vertex i of
 * it is vertices[i], and keeps its number. local[] is scratch of graph->vertices entries, all -1 before
 * and after. Free with topo_graph_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_graph_induce(const struct topo_graph *graph, const int *vertices, int count, int *local,
                                   struct topo_graph **induced, struct topo_error *error);

/* NULL is harmless. */
void topo_graph_free(struct topo_graph *graph);
TOPO_SCOPED_TYPE(topo_graph)

#endif
