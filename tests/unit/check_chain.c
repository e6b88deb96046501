/* The chain to every root over every machine, whole and divided: every node is in it once, every unit is left once. */
#include "unit.h"

#include "patterns/chain.h"
#include "machines.h"

static void to_root(const struct topo_levels *levels, int root, bool divided)
{
    int nodes = levels->nodes, edges = 0;
    struct topo_chain_place *place = topo_calloc((size_t)nodes, sizeof *place);
    for (int node = 0; node < nodes; node++)
        ck_assert_int_eq(topo_chain_place(levels, root, node, divided, &place[node]), TOPO_OK);
    for (int node = 0; node < nodes; node++) {
        ck_assert_int_eq(place[node].parent < 0, node == root);
        ck_assert_int_le(place[node].children, divided ? 2 : 1);
        for (int i = 0; i < place[node].children; i++, edges++)
            ck_assert_int_eq(place[place[node].child[i]].parent, node);
        int hops = 0;
        for (int at = node; at != root && hops <= nodes; hops++)
            at = place[at].parent;
        ck_assert_msg(hops < nodes, "node %d is below root %d", node, root);
    }
    ck_assert_int_eq(edges, nodes - 1);
    for (int level = 0; level < levels->count; level++)
        for (int unit = 0; unit < levels->level[level].units; unit++) {
            const struct topo_level *here = &levels->level[level];
            int left = 0;
            for (int node = here->first[unit]; node < here->first[unit + 1]; node++)
                left += node != root && topo_unit_of(here, place[node].parent) != unit;
            ck_assert_int_eq(left, topo_unit_of(here, root) != unit);
        }
    topo_free(place);
}

START_TEST(every_machine)
{
    struct topo_tree *tree = machine(_i);
    struct topo_levels *levels;
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    for (int root = 0; root < levels->nodes; root++) {
        to_root(levels, root, false);
        to_root(levels, root, true);
    }
    topo_levels_free(levels);
    topo_tree_free(tree);
}
END_TEST

/* The example of chain.h. */
START_TEST(two_racks)
{
    static const int whole[] = {2, -1, 1, 4, 5, 0}, divided[] = {2, -1, 1, 5, 5, 1};
    struct topo_tree *tree = machine_of("switch:2 node:3 core:1");
    struct topo_levels *levels;
    struct topo_chain_place place;
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    for (int node = 0; node < 6; node++) {
        ck_assert_int_eq(topo_chain_place(levels, 1, node, false, &place), TOPO_OK);
        ck_assert_int_eq(place.parent, whole[node]);
        ck_assert_int_eq(topo_chain_place(levels, 1, node, true, &place), TOPO_OK);
        ck_assert_int_eq(place.parent, divided[node]);
    }
    UNIT_OUT_OF_MEMORY(topo_chain_place(levels, 1, 0, true, &place), (void)0);
    topo_levels_free(levels);
    topo_tree_free(tree);
}
END_TEST

START_TEST(when_divided)
{
    enum { KIB = 1 << 10 };
    ck_assert(topo_chain_is_divided(384 * KIB - 1, 16, false));
    ck_assert(!topo_chain_is_divided(384 * KIB, 16, false));
    ck_assert(topo_chain_is_divided(384 * KIB, 32, false));
    ck_assert(!topo_chain_is_divided(64 * KIB, 16, true));
    ck_assert(!topo_chain_is_divided(64 * KIB, 8, false));
    ck_assert_int_eq(topo_chain_depth(16, true), 4);
    ck_assert_int_eq(topo_chain_depth(16, false), 15);
    ck_assert_int_eq(topo_chain_passed(16, true), 6);
    ck_assert_int_eq(topo_chain_passed(16, false), 14);
}
END_TEST

UNIT_MAIN("chain", {every_machine, MACHINES}, {two_racks}, {when_divided})
