/* The spread from every root over every machine: all nodes get the data once, from a
 * node that has it already, and what senders and receivers say agrees. */
#include "unit.h"

#include "patterns/bcast_tree.h"
#include "machines.h"

static void from_root(const struct topo_levels *levels, int root, int radix)
{
    int nodes = levels->nodes, most = topo_bcast_tree_most(levels), reached = 1;
    int *to = topo_calloc((size_t)most + 1, sizeof *to), *sender = topo_calloc((size_t)nodes, sizeof *sender);
    int *arrived = topo_calloc((size_t)nodes, sizeof *arrived);
    for (int node = 0; node < nodes; node++)
        sender[node] = -1;
    for (int node = 0; node < nodes; node++) {
        int count = topo_bcast_tree_to(levels, root, node, to);
        ck_assert_int_le(count, most);
        for (int i = 0; i < count; i++, reached++) {
            ck_assert_msg(to[i] != root && sender[to[i]] < 0, "node %d gets it once", to[i]);
            sender[to[i]] = node;
        }
    }
    ck_assert_msg(reached == nodes, "all nodes get it");
    for (int node = 0; node < nodes; node++) {
        ck_assert_int_eq(topo_bcast_tree_from(levels, root, node, &arrived[node]), sender[node]);
        ck_assert_int_eq(arrived[node] < 0, node == root);
    }
    for (int level = 0; level < levels->count; level++)
        for (int node = 0; node < nodes; node++) {
            int sent = 0;
            for (int other = 0; other < nodes; other++)
                sent += sender[other] == node && arrived[other] == level;
            ck_assert_msg(!sent || arrived[node] < level, "node %d has it before it sends it", node);
            ck_assert_msg(radix == 0 || sent < radix, "%d messages of node %d at level %d", sent, node, level);
        }
    /* Once into each unit of each level. */
    for (int level = 0; level < levels->count; level++)
        for (int unit = 0; unit < levels->level[level].units; unit++) {
            int in = 0;
            for (int node = levels->level[level].first[unit]; node < levels->level[level].first[unit + 1]; node++)
                in += sender[node] >= 0 && topo_unit_of(&levels->level[level], sender[node]) != unit;
            ck_assert_int_eq(in, topo_unit_of(&levels->level[level], root) != unit);
        }
    topo_free(to);
    topo_free(sender);
    topo_free(arrived);
}

START_TEST(every_machine)
{
    static const int radix[] = {0, 2, 4, 8};
    for (int r = 0; r < 4; r++) {
        struct topo_tree *tree = machine(_i);
        struct topo_levels *levels;
        ck_assert_int_eq(topo_levels_new(tree, radix[r], &levels), TOPO_OK);
        for (int root = 0; root < levels->nodes; root++)
            from_root(levels, root, radix[r]);
        topo_levels_free(levels);
        topo_tree_free(tree);
    }
}
END_TEST

UNIT_MAIN("bcast_tree", {every_machine, MACHINES})
