#include "machines.h"
#include "mapping_process.h"

#include <string.h>

#include "base/memory.h"
#include "renumber/metis.h"

struct topo_mapping *mapping_built_by(const struct topo_tree *tree, enum topo_graph_kind graph,
                                      enum topo_partitioner partitioner)
{
    struct topo_mapping *mapping = NULL;
    struct topo_error error;
    int n = tree->ranks, node = topo_tree_node_level(tree);
    ck_assert_msg(topo_mapping_build(tree, graph, partitioner, &mapping, &error) == TOPO_OK, "%s", error.text);
    ck_assert_msg(topo_mapping_check(mapping, tree, &error) == TOPO_OK, "%s", error.text);
    int64_t crossing = 0, total = 0;
    for (int k = 0; k < topo_graph_steps(graph, n); k++)
        for (int rank = 0; rank < n; rank++) {
            int to;
            int64_t blocks = topo_graph_send(graph, n, mapping->pi[rank], k, &to);
            int other = mapping->pi_inverse[to];
            if (topo_tree_unit(tree, node, rank) != topo_tree_unit(tree, node, other))
                crossing += blocks;
            total += blocks;
        }
    ck_assert_int_eq(crossing, mapping->edge_cut_after);
    for (int z = 0; z <= tree->levels; z++)
        total -= mapping->bytes_after[z];
    ck_assert_msg(total == 0, "the levels' blocks sum up to all blocks");
    ck_assert(mapping->build_seconds > 0);
    return mapping;
}

static struct topo_mapping *build(const struct topo_tree *tree, enum topo_graph_kind graph)
{
    return mapping_built_by(tree, graph, TOPO_PARTITIONER_AUTO);
}

START_TEST(golden_eight)
{
    static const enum topo_graph_kind kinds[] = {TOPO_GRAPH_BRUCK, TOPO_GRAPH_RECURSIVE_DOUBLING};
    struct topo_tree *tree = machine_of("node:2 core:4");
    for (int k = 0; k < 2; k++) {
        struct topo_mapping *mapping = build(tree, kinds[k]);
        for (int v = 0; v < 8; v++)
            ck_assert_msg(mapping->pi_inverse[v] / 4 == v % 2, "%s: number %d lives on node %d",
                          topo_graph_name(kinds[k]), v, v % 2);
        ck_assert_int_eq(mapping->edge_cut_after, 8);
        ck_assert_int_eq(mapping->edge_cut_before, k ? 32 : 42);
        topo_mapping_free(mapping);
    }
    topo_tree_free(tree);
}
END_TEST

START_TEST(sixty_four)
{
    struct topo_tree *slot = machine_of("node:8 core:8"), *node = machine_of("node:8 core:8 by:node");
    struct topo_mapping *mapping = build(slot, TOPO_GRAPH_BRUCK);
    ck_assert_int_eq(mapping->edge_cut_before, 3752);
    ck_assert_int_eq(mapping->edge_cut_after, 448);
    topo_mapping_free(mapping);
    mapping = build(slot, TOPO_GRAPH_RECURSIVE_DOUBLING);
    ck_assert_int_eq(mapping->edge_cut_after, 448);
    topo_mapping_free(mapping);
    /* Placed by node the ranks are where they belong: nobody moves. */
    mapping = build(node, TOPO_GRAPH_BRUCK);
    ck_assert_int_eq(mapping->edge_cut_before, 448);
    for (int i = 0; i < 64; i++)
        ck_assert_msg(mapping->pi[i] == i, "by node, rank %d keeps its number", i);
    topo_mapping_free(mapping);
    topo_tree_free(slot);
    topo_tree_free(node);
}
END_TEST

START_TEST(every_level_at_its_bound)
{
    /* Powers of two: each level at the least possible, n (units - 1) blocks. */
    struct topo_tree *tree = machine_of("switch:2 node:4 package:2 core:4");
    struct topo_mapping *mapping = build(tree, TOPO_GRAPH_BRUCK);
    int64_t cut = 0;
    ck_assert_int_eq(tree->levels, 4);
    for (int level = 0; level < tree->levels; level++) {
        cut += mapping->bytes_after[level];
        ck_assert_msg(cut == (int64_t)64 * (tree->units[level] - 1), "level %d is crossed by %ld blocks", level,
                      (long)cut);
    }
    topo_mapping_free(mapping);
    topo_tree_free(tree);
}
END_TEST

START_TEST(many_machines)
{
    static const char *const texts[] = {
        "node:1 core:1",
        "node:1 core:2",
        "node:2 core:1",
        "node:3 core:1",
        "node:1 core:7",
        "node:9 core:1",
        "node:4 core:7,5,3,1",
        "node:4 core:1,3,5,7",
        "node:4 core:7,5,3,1 by:node",
        "node:12 core:8",
        "node:12 core:8 by:node",
        "node:10 core:10",
        "node:6 package:2 core:8",
        "switch:2 node:3 core:4",
        "switch:3 node:2 package:2 core:2",
        "switch:2 switch:2 node:2 core:4",
        "switch:2 node:2,4 core:4,6,8,2,5,3",
        "switch:2 node:3 core:1",
        "node:2 package:1 numa:2 core:3",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct topo_tree *tree = machine_of(texts[i]);
        struct topo_mapping *mapping = build(tree, TOPO_GRAPH_BRUCK);
        ck_assert_msg(mapping->bytes_after[0] <= mapping->bytes_before[0],
                      "%s: no more blocks cross the outermost level than before", texts[i]);
        topo_mapping_free(mapping);
        if (!(tree->ranks & (tree->ranks - 1)))
            topo_mapping_free(build(tree, TOPO_GRAPH_RECURSIVE_DOUBLING));
        topo_tree_free(tree);
    }
}
END_TEST

START_TEST(random_trees)
{
    static const enum topo_level_kind kinds[] = {TOPO_LEVEL_SWITCH, TOPO_LEVEL_NODE, TOPO_LEVEL_PACKAGE};
    uint64_t state = 2024;
    for (int round = 0; round < 60; round++) {
        int n = 1 + round * 2, *ids = topo_alloc((size_t)n * 3, sizeof *ids);
        struct topo_tree *tree = NULL;
        struct topo_error error;
        for (int i = 0; i < 3 * n; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            ids[i] = (int)((state >> 33) % (unsigned)(1 + round % 4 + i / n));
        }
        ck_assert_msg(topo_tree_new(n, 3, kinds, ids, &tree, &error) == TOPO_OK, "%s", error.text);
        topo_mapping_free(build(tree, TOPO_GRAPH_BRUCK));
        if (!(n & (n - 1)))
            topo_mapping_free(build(tree, TOPO_GRAPH_RECURSIVE_DOUBLING));
        topo_tree_free(tree);
        topo_free(ids);
    }
}
END_TEST

START_TEST(the_checker_sees)
{
    struct topo_tree *tree = machine_of("node:2 core:4");
    struct topo_mapping *mapping = build(tree, TOPO_GRAPH_BRUCK);
    int kept = mapping->pi[3];
    mapping->pi[3] = mapping->pi[2];
    ck_assert_msg(topo_mapping_check(mapping, tree, NULL) == TOPO_INVALID, "pi is not a bijection");
    mapping->pi[3] = 8;
    ck_assert_msg(topo_mapping_check(mapping, tree, NULL) == TOPO_INVALID, "pi leaves its range");
    mapping->pi[3] = kept;
    mapping->bytes_after[0]++;
    ck_assert_msg(topo_mapping_check(mapping, tree, NULL) == TOPO_INVALID, "false figures");
    mapping->bytes_after[0]--;
    mapping->edge_cut_after--;
    ck_assert_msg(topo_mapping_check(mapping, tree, NULL) == TOPO_INVALID, "false cut");
    mapping->edge_cut_after++;
    ck_assert_int_eq(topo_mapping_check(mapping, tree, NULL), TOPO_OK);
    topo_mapping_free(mapping);
    topo_tree_free(tree);
}
END_TEST

START_TEST(refuses)
{
    struct topo_tree *tree = machine_of("node:3 core:4");
    struct topo_mapping *mapping;
    struct topo_error error;
    ck_assert_int_eq(topo_mapping_build(tree, TOPO_GRAPH_RECURSIVE_DOUBLING, TOPO_PARTITIONER_AUTO, &mapping, &error),
                     TOPO_INVALID);
    ck_assert_msg(strstr(error.text, "12") != NULL, "the message names the number of ranks: %s", error.text);
    ck_assert_int_eq(topo_mapping_build(tree, TOPO_GRAPH_NONE, TOPO_PARTITIONER_AUTO, &mapping, NULL), TOPO_INVALID);
    ck_assert_ptr_null(mapping);
    topo_mapping_free(NULL);
    topo_tree_free(tree);
}
END_TEST

/* A ring of 12 given as any graph: its cut is that of intervals, of nodes of 5, 4 and 3. */
START_TEST(given_graph)
{
    struct topo_tree *tree = machine_of("node:3 core:5,4,3");
    struct topo_graph *ring = NULL, *small = NULL;
    struct topo_mapping *mapping = NULL;
    struct topo_error error;
    ck_assert_int_eq(topo_graph_build(TOPO_GRAPH_RING, 12, &ring, NULL), TOPO_OK);
    ck_assert_int_eq(topo_graph_build(TOPO_GRAPH_RING, 11, &small, NULL), TOPO_OK);
    for (int partitioner = TOPO_PARTITIONER_AUTO; partitioner <= TOPO_PARTITIONER_CLOSED_FORM; partitioner++) {
        ck_assert_msg(topo_mapping_of_graph(tree, ring, partitioner, &mapping, &error) == TOPO_OK, "%s", error.text);
        ck_assert_msg(topo_mapping_check(mapping, tree, &error) == TOPO_OK, "%s", error.text);
        ck_assert_int_eq(mapping->edge_cut_before, 3 * 11);
        ck_assert(mapping->given == ring && !mapping->optimal);
        ck_assert(partitioner == TOPO_PARTITIONER_METIS || mapping->edge_cut_after == 3 * 11);
        topo_mapping_free(mapping);
    }
    ck_assert_int_eq(topo_mapping_of_graph(tree, small, TOPO_PARTITIONER_AUTO, &mapping, &error), TOPO_INVALID);
    topo_metis_state(NULL);
    UNIT_OUT_OF_MEMORY(topo_mapping_of_graph(tree, ring, TOPO_PARTITIONER_AUTO, &mapping, NULL),
                       ck_assert((status == TOPO_OK) == (mapping != NULL)));
    topo_mapping_free(mapping);
    topo_graph_free(ring);
    topo_graph_free(small);
    topo_tree_free(tree);
}
END_TEST

START_TEST(without_metis)
{
    struct topo_tree *tree = machine_of("node:10 core:10");
    struct topo_mapping *mapping = NULL;
    struct topo_error error = {""};
    topo_metis_allow(TOPO_METIS_MISSING);
    ck_assert_int_eq(topo_mapping_build(tree, TOPO_GRAPH_BRUCK, TOPO_PARTITIONER_METIS, &mapping, &error),
                     TOPO_UNSUPPORTED);
    ck_assert_ptr_null(mapping);
    ck_assert_msg(strstr(error.text, "METIS") != NULL, "the message names METIS: %s", error.text);
    mapping = build(tree, TOPO_GRAPH_BRUCK);
    ck_assert_int_le(mapping->edge_cut_after, 3808);
    topo_mapping_free(mapping);
    topo_tree_free(tree);
}
END_TEST

START_TEST(each_partitioner)
{
    /* Closed forms as they are cut no less than refined ones, and both are named. */
    struct topo_tree *tree = machine_of("node:12 core:8");
    struct topo_mapping *refined = build(tree, TOPO_GRAPH_BRUCK);
    struct topo_mapping *closed = mapping_built_by(tree, TOPO_GRAPH_BRUCK, TOPO_PARTITIONER_CLOSED_FORM);
    struct topo_mapping *metis = mapping_built_by(tree, TOPO_GRAPH_BRUCK, TOPO_PARTITIONER_METIS);
    ck_assert_int_lt(refined->edge_cut_after, closed->edge_cut_after);
    ck_assert_int_le(refined->edge_cut_after, metis->edge_cut_after);
    ck_assert_str_eq(metis->method, "METIS's partition");
    ck_assert_str_eq(refined->method, "graph partition");
    topo_mapping_free(refined);
    topo_mapping_free(closed);
    topo_mapping_free(metis);
    topo_tree_free(tree);
}
END_TEST

START_TEST(rings_follow_the_tree)
{
    /* By node each of the 12 blocks of a step crosses; in tree order one a node does. */
    struct topo_tree *tree = machine_of("node:3 core:4 by:node"), *slot = machine_of("node:3 core:4");
    struct topo_mapping *mapping = build(tree, TOPO_GRAPH_RING);
    static const int order[] = {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11};
    ck_assert_int_eq(mapping->edge_cut_before, 12 * 11);
    ck_assert_int_eq(mapping->edge_cut_after, 3 * 11);
    ck_assert_msg(!memcmp(mapping->pi_inverse, order, sizeof order), "number v is played by the rank at place v");
    ck_assert(mapping->optimal);
    topo_mapping_free(mapping);
    mapping = build(slot, TOPO_GRAPH_RING);
    ck_assert_str_eq(mapping->method, "as placed");
    ck_assert_int_eq(mapping->edge_cut_before, 3 * 11);
    topo_mapping_free(mapping);
    topo_tree_free(tree);
    topo_tree_free(slot);
}
END_TEST

/* Of 2^20 ranks in closed form, of 10^6 by parts of the graph: a quadratic step would take longer than a test may. */
START_TEST(million_ranks)
{
    static const char *const machines[] = {"node:131072 core:8", "node:125000 core:8"};
    struct topo_tree *tree = machine_of(machines[_i]);
    struct topo_mapping *mapping = NULL;
    ck_assert_int_eq(topo_mapping_build(tree, TOPO_GRAPH_BRUCK, TOPO_PARTITIONER_AUTO, &mapping, NULL), TOPO_OK);
    ck_assert(mapping->optimal == (_i == 0) && mapping->edge_cut_after < mapping->edge_cut_before);
    ck_assert_int_eq(topo_mapping_check(mapping, tree, NULL), TOPO_OK);
    topo_mapping_free(mapping);
    topo_tree_free(tree);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine_of("switch:2 node:3 core:4,3,5,4,4,4");
    struct topo_mapping *mapping = NULL;
    topo_metis_state(NULL);
    UNIT_OUT_OF_MEMORY(topo_mapping_build(tree, TOPO_GRAPH_BRUCK, TOPO_PARTITIONER_AUTO, &mapping, NULL),
                       ck_assert((status == TOPO_OK) == (mapping != NULL)));
    topo_mapping_free(mapping);
    topo_tree_free(tree);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mapping");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, golden_eight);
    tcase_add_test(all, sixty_four);
    tcase_add_test(all, every_level_at_its_bound);
    tcase_add_test(all, many_machines);
    tcase_add_test(all, random_trees);
    tcase_add_test(all, the_checker_sees);
    tcase_add_test(all, refuses);
    tcase_add_test(all, without_metis);
    tcase_add_test(all, each_partitioner);
    tcase_add_test(all, rings_follow_the_tree);
    tcase_add_test(all, given_graph);
    tcase_add_loop_test(all, million_ranks, 0, 2);
    tcase_add_test(all, out_of_memory);
    mapping_add_tests_of_a_process(all);
    suite_add_tcase(suite, all);
    return unit_main(suite);
}
