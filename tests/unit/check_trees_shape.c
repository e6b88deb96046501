/* How a vector goes down several trees: in limits for every length, down two in racks, in a rule's segments. */
#include "unit.h"

#include "machines.h"
#include "patterns/limits.h"
#include "patterns/trees_shape.h"

START_TEST(all_lengths)
{
    for (uint64_t bytes = 0; bytes <= (uint64_t)64 << 20; bytes = bytes * 3 + 1)
        for (int nodes = 1; nodes < 3000; nodes = nodes * 2 + 1) {
            struct topo_levels levels = {.nodes = nodes};
            struct topo_trees_shape shape = topo_trees_shape(bytes, &levels, false, 0);
            ck_assert_int_ge(shape.trees, 1);
            ck_assert_int_le(shape.trees, TOPO_TREES_MOST);
            ck_assert(shape.segment > 0 && shape.segment % 64 == 0 && shape.segment <= TOPO_SEGMENT_BYTES);
            ck_assert(shape.window >= 2 && shape.window <= TOPO_TREES_WINDOW_MOST);
        }
}
END_TEST

START_TEST(in_racks)
{
    struct topo_tree *tree = machine_of("switch:4 node:16 core:1");
    struct topo_levels *levels;
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    for (uint64_t bytes = 1; bytes <= (uint64_t)64 << 20; bytes *= 2)
        ck_assert_int_eq(topo_trees_shape(bytes, levels, false, 0).trees, 2);
    topo_levels_free(levels);
    topo_tree_free(tree);
}
END_TEST

START_TEST(segment_of_a_rule)
{
    struct topo_levels levels = {.nodes = 100};
    ck_assert_uint_eq(topo_trees_shape(1 << 20, &levels, false, 8 << 10).segment, 8 << 10);
}
END_TEST

UNIT_MAIN("trees_shape", {all_lengths}, {in_racks}, {segment_of_a_rule})
