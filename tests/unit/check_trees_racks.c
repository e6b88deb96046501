/* Two trees through racks: both reach every node, links and uplinks carry the vector once, for racks of all sizes up to
 * some and every root. */
#include "unit.h"

#include "machines.h"
#include "patterns/trees_racks.h"

/* Edges of a tree from rack to rack: one into each but the root's, and one at most out of each. */
static void check_uplinks(const struct topo_levels *levels, int root, const struct topo_trees *all, int tree)
{
    const struct topo_level *level = &levels->level[levels->count - 2];
    int *in = topo_calloc((size_t)level->units, sizeof *in), *out = topo_calloc((size_t)level->units, sizeof *out);
    for (int node = 0; node < levels->nodes; node++) {
        if (node == root)
            continue;
        int above = topo_levels_numbered(levels, root, all[topo_levels_number(levels, root, node)].parent[tree]);
        int to = topo_unit_of(level, node), from = topo_unit_of(level, above);
        in[to] += to != from;
        out[from] += to != from;
    }
    for (int unit = 0; unit < level->units; unit++) {
        ck_assert_msg(in[unit] == (unit != topo_unit_of(level, root)), "rack %d, root %d, tree %d: entered %d times",
                      unit, root, tree, in[unit]);
        ck_assert_msg(out[unit] <= 1, "rack %d, root %d, tree %d: left %d times", unit, root, tree, out[unit]);
    }
    topo_free(in);
    topo_free(out);
}

static void check_root(const struct topo_levels *levels, int root)
{
    int nodes = levels->nodes, edges = 0;
    struct topo_trees *all = topo_alloc((size_t)nodes, sizeof *all);
    for (int node = 0; node < nodes; node++) {
        struct topo_trees here;
        topo_trees_find(levels, root, node, 2, &here);
        ck_assert_int_eq(here.node, topo_levels_number(levels, root, node));
        ck_assert_int_eq(here.trees, 2);
        ck_assert_msg(here.edges <= 2, "node %d, root %d: %d edges", node, root, here.edges);
        all[here.node] = here;
    }
    for (int node = 0; node < nodes; node++)
        for (int e = 0; e < all[node].edges; e++, edges++)
            ck_assert_msg(all[all[node].child[e]].parent[all[node].tree[e]] == node,
                          "root %d: %d does not know its parent %d", root, all[node].child[e], node);
    ck_assert_int_eq(edges, 2 * (nodes - 1));
    for (int tree = 0; tree < 2; tree++) {
        for (int node = 1; node < nodes; node++) {
            int at = node, hops = 0;
            for (; at != 0 && hops <= nodes; hops++)
                at = all[at].parent[tree];
            ck_assert_msg(at == 0, "root %d, tree %d: no way to %d", root, tree, node);
            ck_assert_msg(hops <= topo_trees_hops(levels, 2), "root %d, tree %d: %d hops to %d, not %d", root, tree,
                          hops, node, topo_trees_hops(levels, 2));
        }
        check_uplinks(levels, root, all, tree);
    }
    topo_free(all);
}

/* Every `racks` racks of 1 to `most` nodes, as their sizes' digits count up. */
static void check_sizes(int racks, int most)
{
    enum { RACKS_MOST = 4, NODES_MOST = 40 };
    int size[RACKS_MOST] = {0}, border[RACKS_MOST + 1], single[NODES_MOST + 1];
    for (int i = 0; i <= NODES_MOST; i++)
        single[i] = i;
    for (int rack = 0; rack < racks;) {
        border[0] = 0;
        for (int i = 0; i < racks; i++)
            border[i + 1] = border[i] + size[i] + 1;
        int nodes = border[racks];
        struct topo_level level[] = {{racks, border}, {nodes, single}};
        struct topo_levels levels = {.nodes = nodes, .count = 2, .level = level};
        for (int root = 0; root < nodes && nodes > racks; root++)
            check_root(&levels, root);
        for (rack = 0; rack < racks && ++size[rack] == most; rack++)
            size[rack] = 0;
    }
}

START_TEST(racks_of_all_sizes)
{
    check_sizes(2, 10);
    check_sizes(3, 7);
    check_sizes(4, 5);
}
END_TEST

/* Racks in groups, and nodes numbered so that units alternate. */
START_TEST(machines_with_racks)
{
    static const char *const machines[] = {"switch:4 node:4 core:2", "switch:2 switch:3 node:5 core:1",
                                           "switch:3 node:16 core:1"};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct topo_tree *tree = machine_of(machines[i]);
        struct topo_levels *levels;
        ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
        for (int root = 0; root < levels->nodes; root++)
            check_root(levels, root);
        topo_levels_free(levels);
        topo_tree_free(tree);
    }
}
END_TEST

/* The example of trees_racks.h. */
START_TEST(the_example)
{
    static const int parent[2][10] = {{-1, 0, 3, 1, 3, 1, 9, 5, 7, 7}, {-1, 4, 0, 4, 2, 9, 2, 8, 6, 8}};
    int border[] = {0, 5, 10}, single[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    struct topo_level level[] = {{2, border}, {10, single}};
    struct topo_levels levels = {.nodes = 10, .count = 2, .level = level};
    for (int tree = 0; tree < 2; tree++)
        for (int node = 1; node < 10; node++) {
            struct topo_trees trees;
            topo_trees_find(&levels, 0, node, 2, &trees);
            ck_assert_int_eq(trees.parent[tree], parent[tree][node]);
        }
}
END_TEST

UNIT_MAIN("trees_racks", {racks_of_all_sizes}, {machines_with_racks}, {the_example})
