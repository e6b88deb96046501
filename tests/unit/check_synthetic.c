#include "unit.h"

#include <string.h>

#include "base/memory.h"
#include "machine/synthetic.h"

static struct topo_tree *read_tree(const char *text)
{
    struct topo_tree *tree = NULL;
    struct topo_error error = {""};
    ck_assert_msg(topo_synthetic_tree(text, 0, &tree, &error) == TOPO_OK, "'%s' is a machine: %s", text, error.text);
    ck_assert_msg(topo_tree_check(tree, &error) == TOPO_OK, "'%s' gives a sound tree: %s", text, error.text);
    return tree;
}

/* The node of each rank is expected[rank]. */
static void check_nodes(const char *text, const char *expected)
{
    struct topo_tree *tree = read_tree(text);
    const struct topo_numbers *node = &tree->unit[topo_tree_node_level(tree)];
    ck_assert_msg(tree->ranks == (int)strlen(expected), "'%s' has %zu ranks, not %d", text, strlen(expected),
                  tree->ranks);
    for (int rank = 0; rank < tree->ranks; rank++)
        ck_assert_msg(topo_numbers_at(node, rank) == expected[rank] - '0', "'%s': rank %d is on node %c, not %d", text,
                      rank, expected[rank], topo_numbers_at(node, rank));
    topo_tree_free(tree);
}

START_TEST(placements)
{
    check_nodes("node:1", "0");
    check_nodes("node:4", "0123");
    check_nodes("node:4 core:2", "00112233");
    check_nodes("node:4 core:2 by:slot", "00112233");
    check_nodes("node:4 core:2 by:node", "01230123");
    check_nodes("node:4 core:7,5,3,1", "0000000111112223");
    check_nodes("node:4 core:7,5,3,1 by:node", "0123012012010100");
    check_nodes("switch:2 node:1,2 core:3,2,1 by:node", "012010");
    check_nodes("\tnode:2  package:2 core:1 ", "0011");
    check_nodes("node:2 package:1,2 core:2,1,3 by:node", "010111");
}
END_TEST

START_TEST(levels)
{
    struct topo_tree *tree = read_tree("switch:2 switch:3 node:2 package:2 numa:2 l3:2 core:2");
    static const int units[] = {2, 6, 12, 24, 48, 96, 192};
    ck_assert_int_eq(tree->levels, 7);
    for (int level = 0; level < 7; level++)
        ck_assert_int_eq(tree->units[level], units[level]);
    ck_assert(tree->kind[1] == TOPO_LEVEL_SWITCH && tree->kind[5] == TOPO_LEVEL_L3);
    topo_tree_free(tree);
    tree = read_tree("switch:1 node:3 package:1 core:2");
    ck_assert_msg(tree->levels == 2, "levels of one unit in each parent are dropped");
    topo_tree_free(tree);
}
END_TEST

/* Each level of its own, which all take memory. */
START_TEST(the_most_slots)
{
    struct topo_tree *tree =
        read_tree("switch:4 switch:4 switch:4 switch:4 node:4 package:4 numa:4 l3:4 core:64 by:node");
    ck_assert(tree->ranks == 1 << 22 && tree->levels == 9);
    topo_tree_free(tree);
}
END_TEST

START_TEST(number_of_ranks)
{
    struct topo_tree *tree = NULL;
    struct topo_error error;
    ck_assert(topo_synthetic_tree("node:2 core:3", 6, &tree, &error) == TOPO_OK);
    topo_tree_free(tree);
    ck_assert(topo_synthetic_tree("node:2 core:3", 5, &tree, &error) == TOPO_PARSE && !tree);
    ck_assert_msg(strstr(error.text, "6 slots") && strstr(error.text, "5 ranks"), "%s", error.text);
}
END_TEST

START_TEST(nonsense)
{
    static const char *const bad[] = {
        "",
        " ",
        "node",
        "node:",
        ":4",
        "node:0",
        "node:-1",
        "node:2x",
        "node:2,",
        "node:,2",
        "node:2,2",
        "node:2 core:1,2,3",
        "node:2 core:1;2",
        "core:4",
        "core:4 node:2",
        "node:2 node:2",
        "node:2 switch:2",
        "node:2 core:2 core:2",
        "rack:2 node:2",
        "Node:2",
        "node:2 by:rank",
        "node:2 by:",
        "by:node node:2",
        "by:node",
        "node:2 by:node by:node",
        "node:99999999999999999999",
        "node:4194305",
        "node:4194304 core:2",
        "node:2 core:4194304,4194304",
        "switch:2 switch:2 switch:2 switch:2 switch:2 switch:2 switch:2 switch:2 switch:2 "
        "switch:2 switch:2 switch:2 switch:2 switch:2 switch:2 switch:2 node:1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct topo_tree *tree = NULL;
        struct topo_error error = {""};
        ck_assert_msg(topo_synthetic_tree(bad[i], 0, &tree, &error) == TOPO_PARSE && !tree, "'%s' is refused", bad[i]);
        ck_assert_msg(strstr(error.text, "allowed:"), "'%s': what is allowed is said, not '%s'", bad[i], error.text);
    }
}
END_TEST

/* Mutated inputs: taken or refused, nothing else; run under the sanitizers too. */
START_TEST(fuzz)
{
    static const char *const seeds[] = {"switch:2 node:2,3 core:4 by:node", "node:4 core:7,5,3,1",
                                        "node:2 package:1 numa:2 l3:1 core:1 by:slot"};
    static const char alphabet[] = "0123456789:,, snodecrby";
    unsigned state = 7;
    int taken = 0, refused = 0;
    for (int round = 0; round < 30000; round++) {
        char text[128];
        strcpy(text, seeds[round % 3]);
        for (int change = 0; change <= round % 4; change++) {
            state = state * 1664525u + 1013904223u;
            text[(state >> 8) % strlen(text)] = alphabet[(state >> 20) % (sizeof alphabet - 1)];
        }
        struct topo_tree *tree = NULL;
        struct topo_error error = {""};
        enum topo_status status = topo_synthetic_tree(text, 0, &tree, &error);
        ck_assert_msg(status == TOPO_OK || (status == TOPO_PARSE && error.text[0]), "'%s': %d", text, status);
        if (status == TOPO_OK && tree->ranks < 10000)
            ck_assert_msg(topo_tree_check(tree, &error) == TOPO_OK, "'%s': %s", text, error.text);
        taken += status == TOPO_OK;
        refused += status != TOPO_OK;
        topo_tree_free(tree);
    }
    ck_assert_msg(taken > 100 && refused > 100, "both happen: %d taken, %d refused", taken, refused);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = NULL;
    UNIT_OUT_OF_MEMORY(topo_synthetic_tree("switch:2 node:2 core:2 by:node", 0, &tree, NULL),
                       ck_assert((status == TOPO_OK) == (tree != NULL)));
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("synthetic", {placements}, {levels}, {the_most_slots}, {number_of_ranks}, {nonsense}, {fuzz}, {out_of_memory})
