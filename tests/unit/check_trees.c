/* Several trees at a time: what makes them right, for every number of nodes up to a few hundred and samples up to a
 * million. */
#include "unit.h"

#include "patterns/trees.h"

/* Both ends know of an edge, of which a tree has one to each node; no node has more than k. Every node is
 * below the root in every tree, in no more hops than are said, and one in as many. */
static void check_all(int nodes, int trees, struct topo_trees *all, int *hops)
{
    int longest = 0, edges = 0;
    for (int node = 0; node < nodes; node++)
        topo_trees_make(nodes, node, trees, &all[node]);
    for (int node = 0; node < nodes; node++) {
        const struct topo_trees *here = &all[node];
        ck_assert_int_eq(here->trees, trees < nodes - 1 ? trees : nodes - 1);
        ck_assert_msg(here->edges <= here->trees, "%d of %d, %d trees: %d edges", node, nodes, trees, here->edges);
        edges += here->edges;
        for (int e = 0; e < here->edges; e++) {
            ck_assert_int_gt(here->child[e], 0);
            ck_assert_int_lt(here->child[e], nodes);
            ck_assert_msg(all[here->child[e]].parent[here->tree[e]] == node, "%d of %d, %d trees: %d is no child", node,
                          nodes, trees, here->child[e]);
            for (int other = 0; other < e; other++)
                ck_assert_msg(here->child[e] != here->child[other] || here->tree[e] != here->tree[other],
                              "%d of %d, %d trees: two edges of one to %d", node, nodes, trees, here->child[e]);
        }
    }
    ck_assert_int_eq(edges, all[0].trees * (nodes - 1));
    for (int tree = 0; tree < all[0].trees; tree++)
        for (int node = 1; node < nodes; node++) {
            int at = node;
            for (*hops = 0; at != 0 && *hops <= nodes; ++*hops)
                at = all[at].parent[tree];
            ck_assert_msg(at == 0, "%d of %d, tree %d of %d: no way from the root", node, nodes, tree, trees);
            longest = *hops > longest ? *hops : longest;
        }
    ck_assert_msg(longest == topo_trees_depth(nodes, trees), "%d nodes, %d trees: %d hops, not %d", nodes, trees,
                  longest, topo_trees_depth(nodes, trees));
}

START_TEST(all_up_to_some_hundreds)
{
    enum { MOST = 300 };
    struct topo_trees *all = topo_alloc(MOST, sizeof *all);
    int hops;
    for (int nodes = 1; nodes <= MOST; nodes++)
        for (int trees = 1; trees <= TOPO_TREES_MOST; trees++)
            check_all(nodes, trees, all, &hops);
    topo_free(all);
}
END_TEST

START_TEST(the_example)
{
    static const int parent[3][9] = {
        {-1, 0, 7, 4, 1, 4, 4, 1, 1}, {-1, 8, 0, 5, 5, 2, 5, 2, 2}, {-1, 7, 6, 0, 6, 6, 3, 3, 3}};
    for (int node = 1; node < 9; node++) {
        struct topo_trees trees;
        topo_trees_make(9, node, 3, &trees);
        for (int tree = 0; tree < 3; tree++)
            ck_assert_msg(trees.parent[tree] == parent[tree][node], "node %d, tree %d: %d", node, tree,
                          trees.parent[tree]);
    }
}
END_TEST

/* Many nodes, where ints would overflow: parents of samples lead to the root. */
START_TEST(samples_up_to_a_million)
{
    static const int numbers[] = {1023, 1024, 4097, 65535, 1000000, INT32_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int trees = 1; trees <= TOPO_TREES_MOST; trees++)
            for (int sample = 0; sample < 50; sample++) {
                int nodes = numbers[i],
                    start = sample < 25 ? nodes - 1 - sample : (int)((int64_t)nodes * sample / 51) + 1;
                int depth = topo_trees_depth(nodes, trees);
                for (int tree = 0; tree < trees; tree++) {
                    int node = start, hops = 0;
                    for (; node != 0 && hops < 100; hops++) {
                        struct topo_trees here, above;
                        topo_trees_make(nodes, node, trees, &here);
                        topo_trees_make(nodes, here.parent[tree], trees, &above);
                        bool known = false;
                        for (int e = 0; e < above.edges; e++)
                            known |= above.child[e] == node && above.tree[e] == tree;
                        ck_assert_msg(known, "%d of %d, tree %d of %d: its parent does not know", node, nodes, tree,
                                      trees);
                        node = here.parent[tree];
                    }
                    ck_assert_msg(trees == 1 || hops <= depth, "%d of %d: %d hops, not %d", start, nodes, hops, depth);
                }
            }
}
END_TEST

UNIT_MAIN("trees", {all_up_to_some_hundreds}, {the_example}, {samples_up_to_a_million})
