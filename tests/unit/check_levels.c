#include "unit.h"

#include "patterns/levels.h"
#include "machines.h"

static struct topo_levels *levels_of(const struct topo_tree *tree, int radix)
{
    struct topo_levels *levels = NULL;
    ck_assert_msg(topo_levels_new(tree, radix, &levels) == TOPO_OK, "levels of a sound tree");
    return levels;
}

/* Every property levels.h states. */
static void check_sound(const struct topo_tree *tree, const struct topo_levels *levels, int radix)
{
    int node_level = topo_tree_node_level(tree), *order = topo_alloc((size_t)tree->ranks, sizeof *order);
    topo_tree_order(tree, order);
    ck_assert_msg(levels->nodes == tree->units[node_level], "all nodes are there");
    for (int at = 0; at < tree->ranks; at++) {
        int node = topo_tree_unit(tree, node_level, order[at]);
        ck_assert_msg(topo_levels_node(levels, at) == node && levels->start[node] <= at && at < levels->start[node + 1],
                      "position %d is on node %d", at, node);
    }
    ck_assert_msg((levels->count == 0) == (levels->nodes == 1), "one node has no level");
    int units = 1;
    for (int z = 0; z < levels->count; z++) {
        const struct topo_level *level = &levels->level[z];
        ck_assert_msg(level->units > units, "level %d splits something", z);
        units = level->units;
        ck_assert_msg(level->first[0] == 0 && level->first[units] == levels->nodes, "level %d covers all nodes", z);
        for (int node = 0; node < levels->nodes; node++) {
            int unit = topo_unit_of(level, node);
            ck_assert_msg(level->first[unit] <= node && node < level->first[unit + 1], "node %d is in unit %d", node,
                          unit);
            struct topo_group group = topo_group_of(levels, z, node);
            ck_assert_msg(group.first + group.mine == unit, "the group of node %d holds its unit", node);
            ck_assert_msg(!radix || group.count <= radix, "no more than %d parts", radix);
            int begin = level->first[group.first], end = level->first[group.first + group.count];
            int outer = z ? topo_unit_of(&levels->level[z - 1], node) : 0;
            ck_assert_msg(begin == (z ? levels->level[z - 1].first[outer] : 0) &&
                              end == (z ? levels->level[z - 1].first[outer + 1] : levels->nodes),
                          "the group is the outer unit");
        }
    }
    ck_assert_msg(units == levels->nodes, "the last level's units are single nodes");
    topo_free(order);
}

START_TEST(sound)
{
    struct topo_tree *tree = machine(_i);
    for (int radix = 0; radix <= 7; radix++)
        if (radix != 1) {
            struct topo_levels *levels = levels_of(tree, radix);
            check_sound(tree, levels, radix);
            topo_levels_free(levels);
        }
    topo_tree_free(tree);
}
END_TEST

/* The units of the outermost level alternate as long as they have nodes, and so do those inside each. */
static void check_alternates(const struct topo_levels *levels, int z)
{
    const struct topo_level *level = &levels->level[z];
    int *gone = topo_calloc((size_t)level->units, sizeof *gone);
    for (int number = 0; number < levels->nodes; number++) {
        int node = topo_levels_numbered(levels, levels->alternating ? levels->alternating[0] : 0, number);
        struct topo_group group = topo_group_of(levels, z, node);
        int mine = group.first + group.mine;
        for (int unit = group.first; unit < group.first + group.count; unit++)
            ck_assert_msg(gone[unit] == topo_unit_size(level, unit) || gone[unit] >= gone[mine],
                          "unit %d of level %d comes before unit %d again", unit, z, mine);
        gone[mine]++;
    }
    for (int unit = 0; unit < level->units; unit++)
        ck_assert_msg(gone[unit] == topo_unit_size(level, unit), "every node has one number");
    topo_free(gone);
}

START_TEST(alternating)
{
    struct topo_tree *tree = machine(_i);
    struct topo_levels *levels = levels_of(tree, 0);
    ck_assert_msg((levels->alternating != NULL) == (levels->count > 1), "one level keeps its order");
    for (int z = 0; z < levels->count; z++)
        check_alternates(levels, z);
    for (int root = 0; root < levels->nodes; root += 1 + levels->nodes / 5)
        for (int node = 0; node < levels->nodes; node++) {
            int number = topo_levels_number(levels, root, node);
            ck_assert_msg(number >= 0 && number < levels->nodes && (number == 0) == (node == root) &&
                              topo_levels_numbered(levels, root, number) == node,
                          "node %d from node %d has number %d", node, root, number);
        }
    topo_levels_free(levels);
    topo_tree_free(tree);
}
END_TEST

/* k nodes under one root need ceil(log_radix k) levels, and no unit is more than one node larger than another. */
START_TEST(few_and_even)
{
    char text[32];
    for (int nodes = 1; nodes <= 70; nodes++)
        for (int radix = 2; radix <= 5; radix++) {
            struct topo_tree *tree = NULL;
            snprintf(text, sizeof text, "node:%d", nodes);
            ck_assert_int_eq(topo_synthetic_tree(text, 0, &tree, NULL), TOPO_OK);
            struct topo_levels *levels = levels_of(tree, radix);
            int needed = 0;
            for (int reach = 1; reach < nodes; reach *= radix)
                needed++;
            ck_assert_msg(levels->count == needed, "%d nodes by %d: %d levels, not %d", nodes, radix, needed,
                          levels->count);
            for (int z = 0; z < levels->count; z++) {
                int low = nodes, high = 0;
                for (int unit = 0; unit < levels->level[z].units; unit++) {
                    int size = topo_unit_size(&levels->level[z], unit);
                    low = size < low ? size : low;
                    high = size > high ? size : high;
                }
                ck_assert_msg(z > 0 || high - low <= 1, "%d nodes by %d: even shares at the outermost level", nodes,
                              radix);
            }
            topo_levels_free(levels);
            topo_tree_free(tree);
        }
}
END_TEST

/* Where as many levels of fewer parts are even, they are; never more levels. */
START_TEST(even_where_possible)
{
    static const struct {
        int nodes, radix, parts[4];
    } cases[] = {{64, 5, {4, 4, 4}}, {256, 5, {4, 4, 4, 4}}, {27, 4, {3, 3, 3}}, {36, 7, {6, 6}},
                 {12, 5, {3, 4}},    {8, 4, {2, 4}},         {64, 17, {4, 16}}};
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "node:%d", cases[i].nodes);
        struct topo_tree *tree = machine_of(text);
        struct topo_levels *levels = levels_of(tree, cases[i].radix);
        for (int z = 0, units = 1; z < levels->count; z++) {
            units *= cases[i].parts[z];
            ck_assert_msg(levels->level[z].units == units, "%d nodes by %d: %d units at level %d", cases[i].nodes,
                          cases[i].radix, levels->level[z].units, z);
            for (int unit = 0; unit < units; unit++)
                ck_assert_int_eq(topo_unit_size(&levels->level[z], unit), cases[i].nodes / units);
        }
        topo_levels_free(levels);
        topo_tree_free(tree);
    }
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine(14);
    struct topo_levels *levels = NULL;
    UNIT_OUT_OF_MEMORY(topo_levels_new(tree, 2, &levels), ck_assert((status == TOPO_OK) == (levels != NULL)));
    topo_levels_free(levels);
    topo_levels_free(NULL);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("levels", {sound, MACHINES}, {alternating, MACHINES}, {few_and_even}, {even_where_possible}, {out_of_memory})
