#include "graphs.h"

#include "renumber/refine.h"

START_TEST(cut_is_what_is_sent)
{
    uint64_t state = 99;
    for (int n = 2; n <= 80; n += 3) {
        struct topo_graph *graph = build(TOPO_GRAPH_BRUCK, n);
        int part[80];
        for (int v = 0; v < n; v++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            part[v] = (int)((state >> 33) % 5);
        }
        ck_assert_int_eq(topo_partition_cut(graph, part), sent_between(TOPO_GRAPH_BRUCK, n, part));
        topo_graph_free(graph);
    }
}
END_TEST

START_TEST(repair_from_anything)
{
    /* All in one part, to sizes from 1 up; and sizes that do not sum up. */
    struct topo_graph *graph = build(TOPO_GRAPH_BRUCK, 45);
    static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, wrong[] = {1, 2, 3, 4, 5, 6, 7, 8, 8};
    int part[45];
    for (int from = 0; from < 9; from++) {
        for (int v = 0; v < 45; v++)
            part[v] = from;
        ck_assert_int_eq(topo_partition_repair(graph, 9, sizes, part, NULL), TOPO_OK);
        ck_assert_msg(exact(part, 45, sizes, 9), "sizes are exact, starting from all in part %d", from);
    }
    ck_assert_int_eq(topo_partition_repair(graph, 9, wrong, part, NULL), TOPO_INVALID);
    topo_graph_free(graph);
}
END_TEST

START_TEST(refinement_only_lowers)
{
    uint64_t state = 12345;
    for (int round = 0; round < 50; round++) {
        int n = 20 + round * 3, parts = 2 + round % 9, *sizes = topo_calloc(parts, sizeof *sizes);
        int *part = topo_alloc(n, sizeof *part);
        struct topo_graph *graph = build(TOPO_GRAPH_BRUCK, n);
        for (int v = 0; v < n; v++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            part[v] = (int)((state >> 33) % (unsigned)parts);
            sizes[part[v]]++;
        }
        int64_t before = topo_partition_cut(graph, part);
        for (int effort = 0; effort <= 100000; effort += 50000) {
            int64_t left = effort;
            ck_assert_int_eq(topo_partition_refine(graph, parts, part, effort > 50000, &left, NULL), TOPO_OK);
            ck_assert_msg(left <= effort && (effort > 0 || left == 0), "%ld of %d edges are left", (long)left, effort);
            int64_t after = topo_partition_cut(graph, part);
            ck_assert_msg(after <= before, "n=%d: the cut goes from %ld to %ld", n, (long)before, (long)after);
            ck_assert_msg(exact(part, n, sizes, parts), "n=%d: refinement keeps sizes", n);
            before = after;
        }
        topo_free(sizes);
        topo_free(part);
        topo_graph_free(graph);
    }
}
END_TEST

START_TEST(out_of_memory)
{
    static const int sizes[] = {10, 10, 10};
    struct topo_graph *graph = build(TOPO_GRAPH_BRUCK, 30);
    int part[30] = {0};
    UNIT_OUT_OF_MEMORY(topo_partition_repair(graph, 3, sizes, part, NULL));
    UNIT_OUT_OF_MEMORY(topo_partition_refine(graph, 3, part, true, &(int64_t){1000}, NULL));
    ck_assert(exact(part, 30, sizes, 3));
    topo_graph_free(graph);
}
END_TEST

UNIT_MAIN("refine", {cut_is_what_is_sent}, {repair_from_anything}, {refinement_only_lowers}, {out_of_memory})
