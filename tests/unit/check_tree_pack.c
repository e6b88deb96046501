#include "unit.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/synthetic.h"
#include "machine/tree.h"

START_TEST(packed)
{
    struct topo_tree *tree = NULL, *back = NULL;
    struct topo_error error;
    ck_assert(topo_synthetic_tree("switch:2 node:1,3 core:2 by:node", 0, &tree, NULL) == TOPO_OK);
    size_t count = topo_tree_packed_ints(tree);
    int *ints = topo_alloc(count, sizeof *ints), *corrupt = topo_alloc(count, sizeof *ints);
    topo_tree_pack(tree, ints);
    ck_assert(topo_tree_unpack(ints, count, &back, &error) == TOPO_OK);
    ck_assert(topo_tree_equal(tree, back) && topo_tree_check(back, &error) == TOPO_OK);
    topo_tree_free(back);
    for (size_t shorter = 0; shorter < count; shorter++)
        ck_assert_msg(topo_tree_unpack(ints, shorter, &back, &error) == TOPO_INVALID && !back, "%zu of %zu integers",
                      shorter, count);
    static const int wrong[] = {-1, 0, 1, 2, 3, 7, 16, 17, 0x7fffffff, -0x7fffffff - 1};
    for (size_t at = 0; at < count; at++)
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            memcpy(corrupt, ints, count * sizeof *ints);
            corrupt[at] = wrong[i];
            enum topo_status status = topo_tree_unpack(corrupt, count, &back, &error);
            ck_assert(status == TOPO_OK || status == TOPO_INVALID);
            /* What is taken is a sound tree; a changed integer that is taken gives another tree. */
            if (status == TOPO_OK) {
                ck_assert(topo_tree_check(back, &error) == TOPO_OK);
                ck_assert(topo_tree_equal(back, tree) == (wrong[i] == ints[at]));
            }
            topo_tree_free(back);
        }
    topo_free(ints);
    topo_free(corrupt);
    topo_tree_free(tree);
}
END_TEST

/* The same tree kept by rules answers all questions alike, and travels as such. */
static void check_shortened(struct topo_tree *tree)
{
    struct topo_tree *kept = NULL;
    struct topo_error error = {""};
    int levels = tree->levels, n = tree->ranks;
    int *order = topo_alloc((size_t)n, sizeof *order), *expected = topo_alloc((size_t)n, sizeof *expected);
    topo_tree_order(tree, expected);
    for (int copy = 0; copy < 2; copy++) {
        int *ints = topo_alloc(topo_tree_packed_ints(tree), sizeof *ints);
        topo_tree_free(kept);
        topo_tree_pack(tree, ints); /* at first tables, then by rules */
        ck_assert_msg(topo_tree_unpack(ints, topo_tree_packed_ints(tree), &kept, &error) == TOPO_OK, "%s", error.text);
        topo_free(ints);
        ck_assert(topo_tree_equal(tree, kept) && topo_tree_equal(kept, tree));
        topo_tree_shorten(tree);
        ck_assert(topo_tree_equal(tree, kept) && topo_tree_equal(kept, tree));
        ck_assert_msg(topo_tree_check(tree, &error) == TOPO_OK, "%s", error.text);
        topo_tree_order(tree, order);
        ck_assert_mem_eq(order, expected, (size_t)n * sizeof *order);
        for (int level = 0; level < levels; level++) {
            ck_assert(topo_tree_is_uniform(tree, level) == topo_tree_is_uniform(kept, level));
            ck_assert(topo_tree_is_consecutive(tree, level) == topo_tree_is_consecutive(kept, level));
        }
        for (int p = 0; p < n; p++)
            ck_assert(topo_tree_shared_levels(tree, p, n - 1 - p) == topo_tree_shared_levels(kept, p, n - 1 - p));
    }
    topo_tree_free(kept);
    topo_free(order);
    topo_free(expected);
    topo_tree_free(tree);
}

START_TEST(shortened)
{
    static const char *const specs[] = {"node:64 core:16",         "node:64 core:16 by:node",
                                        "switch:4 node:8 core:12", "switch:4 node:8 package:2 core:6 by:node",
                                        "node:4 core:7,5,3,1",     "switch:2 node:1,3 core:2 by:node"};
    struct topo_tree *tree = NULL, *odd = NULL;
    int ids[3 * 60], every_third[400];
    topo_numbers_short = 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ck_assert(topo_synthetic_tree(specs[i], 0, &tree, NULL) == TOPO_OK);
        for (int rank = 0; 3 * rank < tree->ranks; rank++)
            every_third[rank] = 3 * rank;
        ck_assert(topo_tree_restrict(tree, every_third, (tree->ranks + 2) / 3, &odd, NULL) == TOPO_OK);
        check_shortened(odd);
        check_shortened(tree);
    }
    static const enum topo_level_kind kinds[] = {TOPO_LEVEL_SWITCH, TOPO_LEVEL_NODE, TOPO_LEVEL_CORE};
    for (int seed = 0; seed < 200; seed++) {
        unsigned random = 77u + (unsigned)seed;
        for (int i = 0; i < 3 * 60; i++)
            ids[i] = (int)((random = random * 1664525u + 1013904223u) >> 16) % (2 + seed % 9);
        ck_assert(topo_tree_new(20 + seed % 41, 3, kinds, ids, &tree, NULL) == TOPO_OK);
        check_shortened(tree);
    }
}
END_TEST

static int given_back;

static void give_back(void *context)
{
    given_back++;
    topo_free(context);
}

/* The tables of irregular trees written elsewhere: the same tree, of which nothing is its own. */
START_TEST(lent)
{
    static const enum topo_level_kind kinds[] = {TOPO_LEVEL_SWITCH, TOPO_LEVEL_NODE, TOPO_LEVEL_CORE};
    struct topo_tree *tree = NULL, *same = NULL;
    int ids[3 * 60], with_tables = 0;
    topo_numbers_short = 0;
    for (int seed = 0; seed < 200; seed++) {
        unsigned random = 77u + (unsigned)seed;
        for (int i = 0; i < 3 * 60; i++)
            ids[i] = (int)((random = random * 1664525u + 1013904223u) >> 16) % (2 + seed % 9);
        ck_assert(topo_tree_new(20 + seed % 41, 3, kinds, ids, &tree, NULL) == TOPO_OK);
        ck_assert(topo_tree_new(20 + seed % 41, 3, kinds, ids, &same, NULL) == TOPO_OK);
        topo_tree_shorten(tree);
        size_t bytes = topo_tree_table_bytes(tree);
        int *tables = topo_alloc(bytes, 1);
        const struct topo_tree_lender lender = {give_back, tables};
        topo_tree_write_tables(tree, tables);
        topo_tree_lend(tree, tables, &lender);
        with_tables += bytes > 0;
        ck_assert(topo_tree_table_bytes(tree) == 0 && topo_tree_equal(tree, same));
        ck_assert(topo_tree_check(tree, NULL) == TOPO_OK);
        given_back = 0;
        topo_tree_free(topo_tree_share(tree));
        ck_assert_msg(given_back == 0, "somebody uses it");
        topo_tree_free(tree);
        ck_assert_int_eq(given_back, 1);
        topo_tree_free(same);
    }
    ck_assert_int_gt(with_tables, 100);
}
END_TEST

/* What is kept of a tree, and sent: of a regular one the same however many ranks there are, of uneven nodes by slot a
 * run a node. */
static void check_size(const char *spec, size_t most)
{
    struct topo_tree *tree = NULL;
    size_t bytes = sizeof *tree;
    ck_assert(topo_synthetic_tree(spec, 0, &tree, NULL) == TOPO_OK);
    topo_tree_shorten(tree);
    for (int list = 0; list <= tree->levels; list++)
        bytes += topo_numbers_bytes(list < tree->levels ? &tree->unit[list] : &tree->order);
    size_t sent = topo_tree_packed_ints(tree) * sizeof(int);
    printf("%s: %d ranks, %zu bytes kept, %zu sent\n", spec, tree->ranks, bytes, sent);
    ck_assert(bytes <= most && sent <= most);
    topo_tree_free(tree);
}

START_TEST(sizes)
{
    struct topo_text uneven = {0};
    check_size("node:128 core:128", 2048);
    check_size("node:8192 core:128", 2048);
    check_size("node:8192 core:128 by:node", 2048);
    check_size("switch:16 node:64 core:128 by:node", 2048);
    topo_text_add(&uneven, "node:1024 core:");
    for (int node = 0; node < 1024; node++)
        topo_text_addf(&uneven, "%s%d", node ? "," : "", 120 + node % 7);
    struct topo_tree *tree = NULL;
    ck_assert(topo_synthetic_tree(uneven.text, 0, &tree, NULL) == TOPO_OK);
    topo_tree_shorten(tree);
    ck_assert(!tree->order.table && !tree->unit[0].table && tree->unit[0].runs == 1024);
    topo_tree_free(tree);
    topo_text_free(&uneven);
}
END_TEST

UNIT_MAIN("tree_pack", {packed}, {shortened}, {sizes}, {lent})
