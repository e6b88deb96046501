#include "unit.h"

#include "patterns/paths.h"
#include "machines.h"

struct play {
    struct topo_tree *tree;
    struct topo_levels *levels;
    struct topo_paths **paths; /* per node */
};

static struct play begin(int index, enum topo_path_kind kind)
{
    struct play play = {.tree = machine(index)};
    ck_assert_int_eq(topo_levels_new(play.tree, 0, &play.levels), TOPO_OK);
    play.paths = topo_calloc((size_t)play.levels->nodes, sizeof(struct topo_paths *));
    for (int node = 0; node < play.levels->nodes; node++)
        ck_assert_int_eq(topo_paths_new(play.levels, node, kind, &play.paths[node]), TOPO_OK);
    return play;
}

static void end(struct play *play)
{
    for (int node = 0; node < play->levels->nodes; node++)
        topo_paths_free(play->paths[node]);
    topo_free(play->paths);
    topo_levels_free(play->levels);
    topo_tree_free(play->tree);
}

/* The block of every node reaches every other once, along edges both sides know of. */
static void check_trees(const struct play *play, enum topo_path_kind kind)
{
    int nodes = play->levels->nodes;
    for (int o = 0; o < nodes; o++) {
        int edges = 0;
        for (int node = 0; node < nodes; node++) {
            const struct topo_paths *paths = play->paths[node];
            if (node == o) {
                ck_assert_msg(paths->from[o] == -1 && paths->hops[o] == 0, "node %d has its own block", o);
            } else {
                int from = paths->from[o], listed = 0;
                ck_assert_msg(from >= 0 && from < nodes && from != node, "node %d gets block %d from another", node, o);
                const struct topo_paths *theirs = play->paths[from];
                for (int e = theirs->first_to[o]; e < theirs->first_to[o + 1]; e++)
                    listed += theirs->to[e] == node;
                ck_assert_msg(listed == 1, "node %d sends block %d to node %d", from, o, node);
                ck_assert_msg(paths->hops[o] == theirs->hops[o] + 1, "one message further");
                ck_assert_msg(kind != TOPO_PATH_DIRECT || paths->hops[o] <= play->levels->count,
                              "one message a level at most");
            }
            edges += paths->first_to[o + 1] - paths->first_to[o];
        }
        ck_assert_msg(edges == nodes - 1, "block %d travels %d times, not %d", o, nodes - 1, edges);
    }
}

/* What the busiest node sends, of levels of any radix. */
START_TEST(most)
{
    static const int radix[] = {0, 2, 4};
    struct topo_tree *tree = machine(_i);
    for (int r = 0; r < 3; r++) {
        struct topo_levels *levels;
        int most, busiest, found = 0, sent[512];
        ck_assert_int_eq(topo_levels_new(tree, radix[r], &levels), TOPO_OK);
        for (int node = 0; node < levels->nodes; node++) {
            struct topo_paths *paths;
            ck_assert_int_eq(topo_paths_new(levels, node, TOPO_PATH_DIRECT, &paths), TOPO_OK);
            sent[node] = paths->first_to[levels->nodes];
            found = sent[node] > found ? sent[node] : found;
            topo_paths_free(paths);
        }
        ck_assert_int_eq(topo_paths_most(levels, &most, &busiest), TOPO_OK);
        ck_assert_int_eq(most, found);
        ck_assert_int_eq(sent[busiest], most);
        UNIT_OUT_OF_MEMORY(topo_paths_most(levels, &most, &busiest), (void)0);
        topo_levels_free(levels);
    }
    topo_tree_free(tree);
}
END_TEST

/* Each block enters each unit of each level of the tree once. */
static void check_least_bytes(const struct play *play)
{
    int *order = topo_alloc((size_t)play->tree->ranks, sizeof *order);
    topo_tree_order(play->tree, order);
    for (int z = 0; z <= topo_tree_node_level(play->tree); z++)
        for (int o = 0; o < play->levels->nodes; o++) {
            const struct topo_numbers *unit = &play->tree->unit[z];
            int *entered = topo_calloc((size_t)play->tree->units[z], sizeof *entered);
            for (int node = 0; node < play->levels->nodes; node++) {
                int from = play->paths[node]->from[o], here = topo_numbers_at(unit, order[play->levels->start[node]]);
                if (from >= 0 && topo_numbers_at(unit, order[play->levels->start[from]]) != here)
                    entered[here]++;
            }
            for (int u = 0; u < play->tree->units[z]; u++) {
                bool own = topo_numbers_at(unit, order[play->levels->start[o]]) == u;
                ck_assert_msg(entered[u] == !own, "block %d enters unit %d of level %d once", o, u, z);
            }
            topo_free(entered);
        }
    topo_free(order);
}

START_TEST(reach_all)
{
    for (enum topo_path_kind kind = TOPO_PATH_RING; kind <= TOPO_PATH_DIRECT; kind++) {
        struct play play = begin(_i, kind);
        check_trees(&play, kind);
        check_least_bytes(&play);
        end(&play);
    }
}
END_TEST

/* Equal nodes in equal switches all send as many blocks as they receive: no link carries more than another. */
START_TEST(even_load)
{
    static const char *const machines[] = {"node:4 core:4",
                                           "node:7 core:1",
                                           "switch:2 node:3 core:2",
                                           "switch:3 node:4 core:1",
                                           "switch:2 switch:2 node:3 core:1",
                                           "node:13 core:1",
                                           "switch:5 node:6 core:1"};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct topo_tree *tree = NULL;
        struct topo_levels *levels = NULL;
        ck_assert_int_eq(topo_synthetic_tree(machines[i], 0, &tree, NULL), TOPO_OK);
        ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
        for (int node = 0; node < levels->nodes; node++) {
            for (enum topo_path_kind kind = TOPO_PATH_RING; kind <= TOPO_PATH_DIRECT; kind++) {
                struct topo_paths *paths = NULL;
                ck_assert_int_eq(topo_paths_new(levels, node, kind, &paths), TOPO_OK);
                ck_assert_msg(paths->first_to[levels->nodes] == levels->nodes - 1,
                              "%s: node %d sends %d blocks, not %d", machines[i], node, levels->nodes - 1,
                              paths->first_to[levels->nodes]);
                topo_paths_free(paths);
            }
        }
        topo_levels_free(levels);
        topo_tree_free(tree);
    }
}
END_TEST

/* In a tree a block takes a message for each bit of the distance, among more than four units. */
START_TEST(few_hops)
{
    static const int hops[] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2};
    struct topo_tree *tree = NULL;
    struct topo_levels *levels = NULL;
    ck_assert_int_eq(topo_synthetic_tree("node:13 core:1", 0, &tree, NULL), TOPO_OK);
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    for (int node = 0; node < 13; node++) {
        struct topo_paths *paths = NULL;
        ck_assert_int_eq(topo_paths_new(levels, node, TOPO_PATH_TREE, &paths), TOPO_OK);
        for (int o = 0; o < 13; o++)
            ck_assert_int_eq(paths->hops[o], hops[(node - o + 13) % 13]);
        topo_paths_free(paths);
    }
    topo_levels_free(levels);
    topo_tree_free(tree);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine(14);
    struct topo_levels *levels = NULL;
    struct topo_paths *paths = NULL;
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    UNIT_OUT_OF_MEMORY(topo_paths_new(levels, 3, TOPO_PATH_RING, &paths),
                       ck_assert((status == TOPO_OK) == (paths != NULL)));
    topo_paths_free(paths);
    topo_paths_free(NULL);
    topo_levels_free(levels);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("paths", {most, MACHINES}, {reach_all, MACHINES}, {even_load}, {few_hops}, {out_of_memory})
