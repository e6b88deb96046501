#include "graphs.h"

#include <string.h>

#include "renumber/chains.h"

START_TEST(chains_of_twelve)
{
    /* 3 and 6 numbers apart, in 12: chains of 4 and of 2. */
    static const int four[] = {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11};
    struct topo_graph *graph = build(TOPO_GRAPH_BRUCK, 12), *induced = NULL;
    struct topo_chains chains;
    ck_assert_int_eq(topo_chains_new(graph, &chains), TOPO_OK);
    topo_chains_fill(graph, 3, &chains);
    ck_assert_int_eq(chains.count, 3);
    ck_assert_msg(!memcmp(chains.vertex, four, sizeof four), "chains of step 3");
    topo_chains_fill(graph, 6, &chains);
    ck_assert_int_eq(chains.count, 6);
    ck_assert_int_eq(chains.first[5], 10);
    topo_chains_free(&chains);
    /* Without 6: 9, 0, 3 is what is left of the first; it begins where its predecessor is missing. */
    static const int kept[] = {0, 1, 3, 4, 7, 9, 10}, rest[] = {5, 0, 2, 1, 3, 4, 6};
    int local[12];
    memset(local, -1, sizeof local);
    ck_assert_int_eq(topo_graph_induce(graph, kept, 7, local, &induced, NULL), TOPO_OK);
    ck_assert_int_eq(topo_chains_new(induced, &chains), TOPO_OK);
    topo_chains_fill(induced, 3, &chains);
    ck_assert_int_eq(chains.count, 2);
    ck_assert_msg(!memcmp(chains.vertex, rest, sizeof rest), "chains of step 3 in a part of the graph");
    topo_chains_free(&chains);
    topo_graph_free(induced);
    topo_graph_free(graph);
}
END_TEST

START_TEST(pieces_of_chains)
{
    /* Every form, every step: each part has its size, and what can be whole is. */
    static const int sizes[] = {5, 12, 7, 16, 8, 12}, by_size[] = {3, 1, 5, 4, 2, 0};
    struct topo_graph *graph = build(TOPO_GRAPH_BRUCK, 60);
    struct topo_chains chains;
    int part[60], need[7];
    ck_assert_int_eq(topo_chains_new(graph, &chains), TOPO_OK);
    for (int step = 1; step < 60; step++)
        for (int form = 0; form < TOPO_CHAIN_FORMS; form++) {
            topo_chains_fill(graph, step, &chains);
            ck_assert_int_eq(topo_chains_place(graph, &chains, form, 6, sizes, by_size, need, part), TOPO_OK);
            ck_assert_msg(exact(part, 60, sizes, 6), "step %d, form %d: sizes are exact", step, form);
        }
    /* 20 chains of 3: five of them fill all of part 3 but one place. */
    topo_chains_fill(graph, 20, &chains);
    topo_chains_place(graph, &chains, TOPO_CHAINS_NATURAL, 6, sizes, by_size, need, part);
    for (int v = 0; v < 5; v++)
        ck_assert_msg(part[v] == 3 && part[v + 20] == 3 && part[v + 40] == 3, "the chain of %d is in part 3", v);
    topo_chains_free(&chains);
    topo_graph_free(graph);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_graph *graph = build(TOPO_GRAPH_BRUCK, 12);
    struct topo_chains chains = {0};
    UNIT_OUT_OF_MEMORY((topo_chains_free(&chains), topo_chains_new(graph, &chains)));
    topo_chains_free(&chains);
    topo_graph_free(graph);
}
END_TEST

UNIT_MAIN("chains", {chains_of_twelve}, {pieces_of_chains}, {out_of_memory})
