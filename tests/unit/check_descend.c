#include "machines.h"

#include "renumber/descend.h"
#include "renumber/partition.h"
#include "renumber/refine.h"

/* A permutation in which a number whose rank is in its own unit is played by that rank, and the others ascend. */
static void sound(const struct topo_tree *tree, const int *rank_of, const char *what, int index)
{
    int n = tree->ranks, innermost = tree->levels - 1, last[64];
    const struct topo_numbers *unit = &tree->unit[innermost];
    bool played[64] = {false};
    for (int u = 0; u < n; u++)
        last[u] = -1;
    for (int v = 0; v < n; v++) {
        int rank = rank_of[v];
        ck_assert_msg(rank >= 0 && rank < n && !played[rank], "%s, machine %d: a permutation", what, index);
        played[rank] = true;
        bool own = topo_numbers_at(unit, rank) == topo_numbers_at(unit, v);
        ck_assert_msg(!own || rank == v, "%s, machine %d: %d and its number are in one unit", what, index, v);
        if (own)
            continue;
        ck_assert_msg(rank > last[topo_numbers_at(unit, rank)], "%s, machine %d: the others ascend", what, index);
        last[topo_numbers_at(unit, rank)] = rank;
    }
}

START_TEST(every_machine)
{
    for (int index = 0; index < MACHINES; index++) {
        struct topo_tree *tree = machine(index);
        struct topo_graph *graph = NULL;
        int rank_of[64];
        ck_assert_int_eq(topo_descend_bit_reversed(tree, rank_of, NULL), TOPO_OK);
        sound(tree, rank_of, "bit-reversed", index);
        ck_assert_int_eq(topo_graph_build(TOPO_GRAPH_BRUCK, tree->ranks, &graph, NULL), TOPO_OK);
        ck_assert_int_eq(topo_descend_partition(tree, graph, true, TOPO_PARTITIONER_AUTO, rank_of, NULL), TOPO_OK);
        sound(tree, rank_of, "partition", index);
        topo_graph_free(graph);
        topo_tree_free(tree);
    }
}
END_TEST

/* One level of equal nodes: node u plays an interval of the bit-reversed order, nodes by their lowest number. */
START_TEST(intervals)
{
    struct topo_tree *tree = machine_of("node:4 core:2");
    int rank_of[8], node_of[8];
    ck_assert_int_eq(topo_descend_bit_reversed(tree, rank_of, NULL), TOPO_OK);
    for (int v = 0; v < 8; v++)
        node_of[v] = rank_of[v] / 2;
    /* 0 4 | 2 6 | 1 5 | 3 7, the intervals in the order of their lowest numbers 0, 1, 2, 3. */
    static const int expected[] = {0, 1, 2, 3, 0, 1, 2, 3};
    for (int v = 0; v < 8; v++)
        ck_assert_msg(node_of[v] == expected[v], "number %d is played in node %d", v, node_of[v]);
    topo_tree_free(tree);
}
END_TEST

/* The outermost level gets the partition that topo_partition() finds. */
START_TEST(outermost_as_partitioned)
{
    struct topo_tree *tree = machine_of("node:6 core:5");
    struct topo_graph *graph = NULL;
    int rank_of[30], part[30], sizes[6] = {5, 5, 5, 5, 5, 5};
    ck_assert_int_eq(topo_graph_build(TOPO_GRAPH_BRUCK, 30, &graph, NULL), TOPO_OK);
    ck_assert_int_eq(topo_descend_partition(tree, graph, true, TOPO_PARTITIONER_AUTO, rank_of, NULL), TOPO_OK);
    ck_assert_int_eq(topo_partition(graph, TOPO_PARTITIONER_AUTO, 6, sizes, NULL, 0, part, NULL), TOPO_OK);
    int64_t direct = topo_partition_cut(graph, part);
    for (int v = 0; v < 30; v++)
        part[v] = rank_of[v] / 5;
    ck_assert_msg(topo_partition_cut(graph, part) <= direct, "%ld blocks between nodes, %ld directly",
                  (long)topo_partition_cut(graph, part), (long)direct);
    topo_graph_free(graph);
    topo_tree_free(tree);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine_of("switch:2 node:3 core:4");
    struct topo_graph *graph = NULL;
    int rank_of[24];
    UNIT_OUT_OF_MEMORY(topo_descend_bit_reversed(tree, rank_of, NULL));
    ck_assert_int_eq(topo_graph_build(TOPO_GRAPH_BRUCK, 24, &graph, NULL), TOPO_OK);
    UNIT_OUT_OF_MEMORY(topo_descend_partition(tree, graph, true, TOPO_PARTITIONER_AUTO, rank_of, NULL));
    topo_graph_free(graph);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("descend", {every_machine}, {intervals}, {outermost_as_partitioned}, {out_of_memory})
