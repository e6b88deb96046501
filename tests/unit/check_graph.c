#include "unit.h"

#include <string.h>

#include "base/memory.h"
#include "renumber/graph.h"

/* Weight of the edge (a, b), 0 when there is none. */
static int64_t weight(const struct topo_graph *graph, int a, int b)
{
    for (int64_t e = graph->row[a]; e < graph->row[a + 1]; e++)
        if (graph->neighbour[e] == b)
            return graph->weight[e];
    return 0;
}

static struct topo_graph *build(enum topo_graph_kind kind, int n)
{
    struct topo_graph *graph = NULL;
    struct topo_error error;
    ck_assert_msg(topo_graph_build(kind, n, &graph, &error) == TOPO_OK, "%s of %d vertices: %s", topo_graph_name(kind),
                  n, error.text);
    return graph;
}

/* Symmetric, no loops, neighbours ascending. */
static void check_form(const struct topo_graph *graph)
{
    ck_assert_int_eq(graph->row[0], 0);
    for (int v = 0; v < graph->vertices; v++) {
        for (int64_t e = graph->row[v]; e < graph->row[v + 1]; e++) {
            int u = graph->neighbour[e];
            ck_assert_msg(u >= 0 && u < graph->vertices && u != v, "neighbour %d of %d is another vertex", u, v);
            ck_assert_msg(e == graph->row[v] || u > graph->neighbour[e - 1], "neighbours of %d ascend", v);
            ck_assert_msg(graph->weight[e] > 0 && graph->weight[e] == weight(graph, u, v), "edge %d-%d has one weight",
                          v, u);
        }
    }
}

/* The weights are what the algorithm sends, counted by running it. */
static void check_against_run(enum topo_graph_kind kind, int n)
{
    struct topo_graph *graph = build(kind, n);
    int64_t *sent = topo_calloc((size_t)n * n, sizeof *sent), total = 0, all = 0;
    check_form(graph);
    ck_assert_int_eq(graph->vertices, n);
    for (int k = 0; k < topo_graph_steps(kind, n); k++)
        for (int v = 0; v < n; v++) {
            int to = -1;
            int64_t blocks = topo_graph_send(kind, n, v, k, &to);
            sent[(size_t)v * n + to] += blocks;
            total += blocks;
        }
    ck_assert_msg(total == (int64_t)n * (n - 1), "every rank receives n-1 blocks, n=%d", n);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            int64_t both = sent[(size_t)a * n + b] + sent[(size_t)b * n + a];
            ck_assert_msg(weight(graph, a, b) == both, "n=%d: edge %d-%d carries %ld blocks, the graph says %ld", n, a,
                          b, (long)both, (long)weight(graph, a, b));
            all += weight(graph, a, b);
        }
    ck_assert_int_eq(all, 2 * total);
    topo_free(sent);
    topo_graph_free(graph);
}

START_TEST(bruck_is_what_is_sent)
{
    static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 33, 64, 96, 100, 127};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_against_run(TOPO_GRAPH_BRUCK, sizes[i]);
}
END_TEST

START_TEST(recursive_doubling_is_what_is_sent)
{
    for (int n = 1; n <= 128; n *= 2)
        check_against_run(TOPO_GRAPH_RECURSIVE_DOUBLING, n);
}
END_TEST

START_TEST(ring_is_what_is_sent)
{
    for (int n = 1; n <= 9; n++)
        check_against_run(TOPO_GRAPH_RING, n);
}
END_TEST

START_TEST(induced_vertices_keep_their_numbers)
{
    static const int vertices[] = {1, 3, 4, 9};
    struct topo_graph *graph = build(TOPO_GRAPH_BRUCK, 10), *induced = NULL;
    int local[10];
    for (int v = 0; v < 10; v++) {
        local[v] = -1;
        ck_assert_int_eq(topo_graph_number(graph, v), v);
    }
    ck_assert_int_eq(topo_graph_induce(graph, vertices, 4, local, &induced, NULL), TOPO_OK);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(topo_graph_number(induced, i), vertices[i]);
    ck_assert_int_eq(induced->numbers, 10);
    topo_graph_free(induced);
    topo_graph_free(graph);
}
END_TEST

START_TEST(bruck_runs)
{
    /* Bruck itself: after all steps every rank holds every block, and holds
     * exactly what the step sizes say. */
    for (int n = 1; n <= 40; n++) {
        int *held = topo_calloc(n, sizeof *held);
        for (int v = 0; v < n; v++)
            held[v] = 1;
        for (int k = 0; k < topo_graph_steps(TOPO_GRAPH_BRUCK, n); k++) {
            int before = held[0], to = 0;
            for (int v = 0; v < n; v++) {
                int64_t blocks = topo_graph_send(TOPO_GRAPH_BRUCK, n, v, k, &to);
                ck_assert_int_le(blocks, before);
                held[to] += (int)blocks;
            }
        }
        for (int v = 0; v < n; v++)
            ck_assert_msg(held[v] == n, "rank %d of %d ends with %d blocks", v, n, held[v]);
        topo_free(held);
    }
}
END_TEST

START_TEST(known_weights)
{
    struct topo_graph *bruck = build(TOPO_GRAPH_BRUCK, 8), *doubling = build(TOPO_GRAPH_RECURSIVE_DOUBLING, 8);
    ck_assert_int_eq(weight(bruck, 0, 4), 8); /* both send 4 blocks */
    ck_assert_int_eq(weight(bruck, 0, 2), 2);
    ck_assert_int_eq(weight(bruck, 0, 7), 1);
    ck_assert_int_eq(weight(bruck, 0, 3), 0);
    ck_assert_int_eq(weight(doubling, 0, 4), 8);
    ck_assert_int_eq(weight(doubling, 5, 7), 4);
    ck_assert_int_eq(weight(doubling, 5, 4), 2);
    ck_assert_int_eq(weight(doubling, 0, 7), 0);
    topo_graph_free(bruck);
    topo_graph_free(doubling);
}
END_TEST

START_TEST(given_edges_are_joined)
{
    const struct topo_graph_edge edges[] = {{3, 1, 5}, {1, 3, 2}, {0, 0, 9}, {2, 1, 0}, {0, 3, 1}, {3, 1, 4}};
    struct topo_graph *graph;
    ck_assert_int_eq(topo_graph_of_edges(5, edges, sizeof edges / sizeof *edges, &graph, NULL), TOPO_OK);
    ck_assert_int_eq(graph->row[5], 4); /* two pairs, each from both ends */
    ck_assert_int_eq(weight(graph, 1, 3), 11);
    ck_assert_int_eq(weight(graph, 3, 1), 11);
    ck_assert_int_eq(weight(graph, 3, 0), 1);
    ck_assert_int_eq(graph->neighbour[graph->row[3]], 0); /* they ascend */
    ck_assert_int_eq(weight(graph, 0, 0) + weight(graph, 1, 2), 0);
    topo_graph_free(graph);
    ck_assert_int_eq(topo_graph_of_edges(3, edges, 1, &graph, NULL), TOPO_INVALID);
    ck_assert_ptr_null(graph);
}
END_TEST

START_TEST(refuses)
{
    struct topo_graph *graph;
    struct topo_error error;
    ck_assert_int_eq(topo_graph_build(TOPO_GRAPH_BRUCK, 0, &graph, &error), TOPO_INVALID);
    ck_assert_int_eq(topo_graph_build(TOPO_GRAPH_RECURSIVE_DOUBLING, 12, &graph, &error), TOPO_INVALID);
    ck_assert_msg(strstr(error.text, "12") != NULL, "the message names the number of ranks: %s", error.text);
    ck_assert_int_eq(topo_graph_build(TOPO_GRAPH_NONE, 8, &graph, NULL), TOPO_INVALID);
    ck_assert_ptr_null(graph);
    topo_graph_free(NULL);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_graph *graph;
    UNIT_OUT_OF_MEMORY(topo_graph_build(TOPO_GRAPH_BRUCK, 12, &graph, NULL),
                       ck_assert((status == TOPO_OK) == (graph != NULL)));
    topo_graph_free(graph);
    const struct topo_graph_edge edge = {0, 1, 1};
    UNIT_OUT_OF_MEMORY(topo_graph_of_edges(2, &edge, 1, &graph, NULL),
                       ck_assert((status == TOPO_OK) == (graph != NULL)));
    topo_graph_free(graph);
}
END_TEST

UNIT_MAIN("graph", {bruck_is_what_is_sent}, {recursive_doubling_is_what_is_sent}, {ring_is_what_is_sent},
          {induced_vertices_keep_their_numbers}, {bruck_runs}, {known_weights}, {given_edges_are_joined}, {refuses},
          {out_of_memory})
