#include "unit.h"

#include <string.h>

#include "base/memory.h"
#include "machine/tree.h"
#include "machine/synthetic.h"

enum { S = TOPO_LEVEL_SWITCH, N = TOPO_LEVEL_NODE, P = TOPO_LEVEL_PACKAGE, C = TOPO_LEVEL_CORE };

static struct topo_tree *build(int ranks, int levels, const int *kinds, const int *ids)
{
    enum topo_level_kind kind[TOPO_LEVELS_MAX];
    struct topo_tree *tree = NULL;
    struct topo_error error = {""};
    for (int level = 0; level < levels; level++)
        kind[level] = (enum topo_level_kind)kinds[level];
    ck_assert_msg(topo_tree_new(ranks, levels, kind, ids, &tree, &error) == TOPO_OK, "a tree of %d ranks: %s", ranks,
                  error.text);
    ck_assert_msg(topo_tree_check(tree, &error) == TOPO_OK, "the tree is sound: %s", error.text);
    return tree;
}

static void refused(int ranks, int levels, const int *kinds, const int *ids)
{
    enum topo_level_kind kind[TOPO_LEVELS_MAX + 1] = {0};
    struct topo_tree *tree = (struct topo_tree *)kind;
    struct topo_error error = {""};
    for (int level = 0; level < levels && level <= TOPO_LEVELS_MAX; level++)
        kind[level] = (enum topo_level_kind)kinds[level];
    ck_assert_msg(topo_tree_new(ranks, levels, kind, ids, &tree, &error) == TOPO_INVALID, "refused");
    ck_assert_msg(error.text[0], "with a message");
    ck_assert_msg(!tree, "and no tree");
}

static int unit_of(const struct topo_tree *tree, int level, int rank)
{
    return topo_tree_unit(tree, level, rank);
}

/* Every property that tree.h states, checked pair by pair against the ids the tree was made of. */
static void check_against(const struct topo_tree *tree, int levels, const int *kinds, const int *ids)
{
    int n = tree->ranks, kept = 0;
    for (int level = 0; level < levels; level++) {
        bool splits = false, equal = kept < tree->levels && (int)tree->kind[kept] == kinds[level];
        for (int p = 0; p < n; p++)
            for (int q = 0; q < n; q++) {
                bool above = true;
                for (int outer = 0; outer < level; outer++)
                    above = above && ids[outer * n + p] == ids[outer * n + q];
                bool same = above && ids[level * n + p] == ids[level * n + q];
                splits = splits || (above && !same);
                equal = equal && same == (unit_of(tree, kept, p) == unit_of(tree, kept, q));
            }
        if (splits || kinds[level] == N) {
            ck_assert_msg(equal, "level %d is in the tree and joins the same ranks", level);
            kept++;
        }
    }
    ck_assert_int_eq(tree->levels, kept);
    for (int level = 0; level < kept; level++) {
        ck_assert_int_eq(unit_of(tree, level, 0), 0);
        for (int p = 0; p < n; p++)
            for (int q = 0; q < n; q++) {
                int up = unit_of(tree, level, p), uq = unit_of(tree, level, q);
                bool same_parent = !level || unit_of(tree, level - 1, p) == unit_of(tree, level - 1, q);
                if (level && unit_of(tree, level - 1, p) < unit_of(tree, level - 1, q))
                    ck_assert_msg(up < uq, "units inside one parent are consecutive");
                if (!same_parent || up >= uq)
                    continue;
                int lowest_p = 0, lowest_q = 0;
                while (unit_of(tree, level, lowest_p) != up)
                    lowest_p++;
                while (unit_of(tree, level, lowest_q) != uq)
                    lowest_q++;
                ck_assert_msg(lowest_p < lowest_q, "units are in the order of their lowest rank");
            }
    }
}

START_TEST(by_slot_and_by_node)
{
    static const int kinds[] = {N, C};
    static const int slot[] = {7, 7, 9, 9, 1, 1, 1, 2, 1, 2, 1, 2}, node[] = {5, -3, 8, 5, -3, 8, 0, 0, 0, 1, 1, 1};
    struct topo_tree *tree = build(6, 2, kinds, slot);
    int order[6], sizes[3];
    check_against(tree, 2, kinds, slot);
    ck_assert_int_eq(tree->units[0], 3);
    ck_assert_int_eq(tree->units[1], 6);
    ck_assert(topo_tree_is_consecutive(tree, 0) && topo_tree_is_uniform(tree, 0));
    ck_assert_int_eq(topo_tree_shared_levels(tree, 0, 1), 1);
    ck_assert_int_eq(topo_tree_shared_levels(tree, 1, 2), 0);
    ck_assert_int_eq(topo_tree_shared_levels(tree, 3, 3), 2);
    topo_tree_free(tree);

    tree = build(6, 2, kinds, node);
    check_against(tree, 2, kinds, node);
    ck_assert_msg(!topo_tree_is_consecutive(tree, 0), "by node is not consecutive");
    ck_assert_msg(topo_tree_is_consecutive(tree, 1), "single ranks are");
    topo_tree_order(tree, order);
    static const int expected[] = {0, 3, 1, 4, 2, 5};
    ck_assert_msg(!memcmp(order, expected, sizeof order), "tree order goes node by node");
    topo_tree_unit_sizes(tree, 0, sizes);
    ck_assert(sizes[0] == 2 && sizes[1] == 2 && sizes[2] == 2);
    topo_tree_free(tree);
}
END_TEST

START_TEST(uneven)
{
    static const int kinds[] = {N}, sizes[] = {7, 5, 3, 1};
    int ids[16], got[4], at = 0;
    for (int node = 0; node < 4; node++)
        for (int i = 0; i < sizes[node]; i++)
            ids[at++] = 100 - node;
    struct topo_tree *tree = build(16, 1, kinds, ids);
    check_against(tree, 1, kinds, ids);
    topo_tree_unit_sizes(tree, 0, got);
    ck_assert_msg(!memcmp(got, sizes, sizeof got), "sizes are 7 5 3 1");
    ck_assert(!topo_tree_is_uniform(tree, 0) && topo_tree_is_consecutive(tree, 0));
    topo_tree_free(tree);
}
END_TEST

/* 2+2 and 3+1 ranks: the number of units divides the ranks, the sizes differ. */
START_TEST(uniform_needs_equal_sizes)
{
    static const int kinds[] = {N}, ids[] = {0, 0, 0, 1};
    struct topo_tree *tree = build(4, 1, kinds, ids);
    ck_assert_msg(!topo_tree_is_uniform(tree, 0), "3 and 1 ranks are not uniform");
    topo_tree_free(tree);
}
END_TEST

START_TEST(levels_that_split_nothing)
{
    static const int kinds[] = {S, S, N, P, C};
    /* One switch; four nodes of one rank each below two switches; packages and cores split nothing. */
    static const int one_rank_a_node[] = {4, 4, 4, 4, 1, 1, 2, 2, 1, 2, 3, 4, 0, 0, 1, 1, 9, 8, 7, 6};
    struct topo_tree *tree = build(4, 5, kinds, one_rank_a_node);
    check_against(tree, 5, kinds, one_rank_a_node);
    ck_assert_int_eq(tree->levels, 2);
    ck_assert_int_eq(topo_tree_node_level(tree), 1);
    topo_tree_free(tree);

    static const int one_node[] = {1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 0, 0, 1, 1, 0, 1, 0, 1};
    tree = build(4, 5, kinds, one_node);
    check_against(tree, 5, kinds, one_node);
    ck_assert_msg(tree->levels == 3 && tree->kind[0] == TOPO_LEVEL_NODE && tree->units[0] == 1,
                  "a single node stays as a level of its own");
    topo_tree_free(tree);

    static const int node[] = {N};
    static const int id[] = {-5};
    tree = build(1, 1, node, id);
    ck_assert(tree->levels == 1 && tree->units[0] == 1 && topo_tree_rank(tree, 0) == 0);
    ck_assert_int_eq(topo_tree_shared_levels(tree, 0, 0), 1);
    topo_tree_free(tree);
}
END_TEST

/* Ids need to be unique inside the unit above only: core 0 of node 0 is not core 0 of node 1. */
START_TEST(random_against_pairs)
{
    static const int kinds[] = {S, S, N, P, C};
    int ids[5 * 24];
    unsigned state = 1;
    for (int round = 0; round < 300; round++) {
        int n = 1 + round % 24;
        for (int i = 0; i < 5 * n; i++) {
            state = state * 1103515245u + 12345u;
            ids[i] = (int)(state >> 16) % (1 + round % 4) - 1;
        }
        struct topo_tree *tree = build(n, 5, kinds, ids);
        check_against(tree, 5, kinds, ids);
        for (int level = 0; level < tree->levels; level++) {
            int sizes[24];
            bool uniform = true, consecutive = true;
            topo_tree_unit_sizes(tree, level, sizes);
            for (int unit = 0; unit < tree->units[level]; unit++) {
                int count = 0, low = n, high = 0;
                for (int rank = 0; rank < n; rank++)
                    if (unit_of(tree, level, rank) == unit) {
                        count++;
                        low = rank < low ? rank : low;
                        high = rank > high ? rank : high;
                    }
                ck_assert_int_eq(sizes[unit], count);
                uniform = uniform && count == sizes[0];
                consecutive = consecutive && high - low + 1 == count;
            }
            ck_assert(topo_tree_is_uniform(tree, level) == uniform);
            ck_assert(topo_tree_is_consecutive(tree, level) == consecutive);
        }
        topo_tree_free(tree);
    }
}
END_TEST

START_TEST(parts)
{
    static const int part[] = {15, 3, 4, 8, 0};
    struct topo_tree *tree = NULL, *small = NULL;
    struct topo_error error;
    ck_assert(topo_synthetic_tree("switch:2 node:2 core:4", 0, &tree, NULL) == TOPO_OK);
    ck_assert(topo_tree_restrict(tree, part, 5, &small, &error) == TOPO_OK);
    ck_assert(topo_tree_check(small, &error) == TOPO_OK);
    ck_assert_int_eq(small->ranks, 5);
    for (int p = 0; p < 5; p++)
        for (int q = 0; q < 5; q++) {
            /* No level is dropped here, so the distances are those of the whole. */
            int whole = topo_tree_shared_levels(tree, part[p], part[q]);
            ck_assert_int_eq(topo_tree_shared_levels(small, p, q), whole);
        }
    topo_tree_free(small);
    static const int apart[] = {12, 0}, twice[] = {3, 3}, outside[] = {0, 16}, undefined[] = {-32766};
    ck_assert(topo_tree_restrict(tree, apart, 2, &small, &error) == TOPO_OK);
    ck_assert_msg(small->levels == 2 && small->units[1] == 2, "one rank a node: no level below the node is left");
    topo_tree_free(small);
    ck_assert(topo_tree_restrict(tree, twice, 2, &small, &error) == TOPO_INVALID && !small);
    ck_assert(topo_tree_restrict(tree, outside, 2, &small, &error) == TOPO_INVALID && !small);
    ck_assert(topo_tree_restrict(tree, undefined, 1, &small, &error) == TOPO_INVALID && !small);
    ck_assert(topo_tree_restrict(tree, apart, 0, &small, &error) == TOPO_INVALID && !small);
    topo_tree_free(tree);
}
END_TEST

START_TEST(invalid)
{
    static const int ids[64] = {0};
    static const int no_node[] = {S, C}, two_nodes[] = {N, N}, backwards[] = {C, N}, two_cores[] = {N, C, C},
                     unknown[] = {N, 6}, node[] = {N},
                     many[TOPO_LEVELS_MAX + 1] = {S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, N};
    refused(2, 2, no_node, ids);
    refused(2, 2, two_nodes, ids);
    refused(2, 2, backwards, ids);
    refused(2, 3, two_cores, ids);
    refused(2, 2, unknown, ids);
    refused(0, 1, node, ids);
    refused(-1, 1, node, ids);
    refused(2, 0, node, ids);
    refused(2, TOPO_LEVELS_MAX + 1, many, ids);
}
END_TEST

START_TEST(check_finds_damage)
{
    struct topo_tree *tree = NULL;
    struct topo_error error;
    ck_assert(topo_synthetic_tree("node:3 core:2", 0, &tree, NULL) == TOPO_OK);
    tree->unit[0].table[0] = 1;
    ck_assert_msg(topo_tree_check(tree, &error) != TOPO_OK, "a wrong unit is found");
    tree->unit[0].table[0] = 0;
    tree->units[1] = 5;
    ck_assert_msg(topo_tree_check(tree, &error) != TOPO_OK, "a wrong number of units is found");
    tree->units[1] = 6;
    tree->order.table[0] = 1;
    ck_assert_msg(topo_tree_check(tree, &error) != TOPO_OK, "a wrong order is found");
    tree->order.table[0] = 0;
    tree->kind[1] = TOPO_LEVEL_SWITCH;
    ck_assert_msg(topo_tree_check(tree, &error) != TOPO_OK, "a wrong kind is found");
    topo_tree_free(tree);
    topo_tree_free(NULL);
}
END_TEST

START_TEST(out_of_memory)
{
    static const int part[] = {0, 5, 1};
    struct topo_tree *tree = NULL, *small = NULL, *back = NULL;
    struct topo_error error;
    int ints[64];
    ck_assert(topo_synthetic_tree("node:3 core:2", 0, &tree, NULL) == TOPO_OK);
    size_t count = topo_tree_packed_ints(tree);
    topo_tree_pack(tree, ints);
    UNIT_OUT_OF_MEMORY(topo_tree_restrict(tree, part, 3, &small, &error),
                       ck_assert((status == TOPO_OK) == (small != NULL)));
    UNIT_OUT_OF_MEMORY(topo_tree_unpack(ints, count, &back, &error), ck_assert((status == TOPO_OK) == (back != NULL)));
    ck_assert(topo_tree_check(small, &error) == TOPO_OK && topo_tree_check(back, &error) == TOPO_OK);
    topo_tree_free(small);
    topo_tree_free(back);
    topo_tree_free(tree);
}
END_TEST

/* 1,048,576 ranks in 131,072 nodes, placed by node: the worst case for the numbering. A quadratic step would take
 * longer than a test may. */
START_TEST(scale)
{
    struct topo_tree *tree = NULL;
    ck_assert(topo_synthetic_tree("switch:16 switch:64 node:128 core:8 by:node", 1 << 20, &tree, NULL) == TOPO_OK);
    ck_assert_int_eq(tree->units[2], 1 << 17);
    ck_assert(topo_tree_is_uniform(tree, 2) && !topo_tree_is_consecutive(tree, 2));
    topo_tree_free(tree);
}
END_TEST

START_TEST(names)
{
    ck_assert_str_eq(topo_level_name(TOPO_LEVEL_SWITCH), "switch");
    ck_assert_str_eq(topo_level_name(TOPO_LEVEL_L3), "l3");
    ck_assert_str_eq(topo_level_name(TOPO_LEVEL_KINDS), "unknown");
}
END_TEST

UNIT_MAIN("tree", {by_slot_and_by_node}, {uneven}, {uniform_needs_equal_sizes}, {levels_that_split_nothing},
          {random_against_pairs}, {parts}, {invalid}, {check_finds_damage}, {out_of_memory}, {scale}, {names})
