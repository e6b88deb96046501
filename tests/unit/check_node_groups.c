#include "unit.h"

#include "base/memory.h"
#include "patterns/node_groups.h"
#include "machines.h"

/* The groups of node 0: their sizes, then 0. */
static void check_sizes(const char *text, const int *sizes)
{
    struct topo_tree *tree = machine_of(text);
    int at = 0, most = 0, count = 0;
    TOPO_SCOPED int *start = topo_alloc((size_t)tree->ranks + 1, sizeof *start);
    int groups = topo_node_groups(tree, 0, tree->ranks, start);
    for (; sizes[count]; at += sizes[count++]) {
        ck_assert_msg(start[count] == at, "%s: group %d starts at %d, not %d", text, count, start[count], at);
        most = sizes[count] > most ? sizes[count] : most;
    }
    ck_assert_int_eq(groups, count);
    ck_assert_int_eq(start[groups], tree->ranks);
    ck_assert_int_eq(topo_node_additions(tree, 0, tree->ranks), most - 1 + count - 1);
    at = 0;
    for (int g = 0; sizes[g]; at += sizes[g], g++)
        for (int i = at; i < at + sizes[g]; i++) {
            struct topo_node_group group = topo_node_group_of(tree, i);
            ck_assert_msg(group.mine == g && group.ranks == sizes[g],
                          "%s: position %d is in group %d of %d ranks, not %d of %d", text, i, group.mine, group.ranks,
                          g, sizes[g]);
        }
    ck_assert_msg(at == tree->ranks, "%s: the sizes are those of one node", text);
    topo_tree_free(tree);
}

START_TEST(cuts)
{
    check_sizes("node:1 core:16", (const int[]){16, 0});
    check_sizes("node:1 core:17", (const int[]){8, 9, 0});
    check_sizes("node:1 core:64", (const int[]){16, 16, 16, 16, 0});
    check_sizes("node:1 package:2 core:20", (const int[]){10, 10, 10, 10, 0});
    check_sizes("node:1 package:2 numa:4 core:12", (const int[]){12, 12, 12, 12, 12, 12, 12, 12, 0});
    /* Small units of one parent go together, those of two do not. */
    check_sizes("node:1 package:2 l3:5 core:4", (const int[]){16, 4, 16, 4, 0});
    check_sizes("node:1 package:2 numa:1 core:12", (const int[]){12, 12, 0});
    /* Units of different sizes. */
    check_sizes("node:1 package:3 core:10,16,3", (const int[]){10, 16, 3, 0});
}
END_TEST

/* Groups are runs of positions of one node, none is too large, and all ranks agree on their numbers. */
START_TEST(any_machine)
{
    static const int mosts[] = {1, 2, 3, 16};
    struct topo_tree *tree = machine(_i);
    int node_level = topo_tree_node_level(tree);
    for (size_t m = 0; m < sizeof mosts / sizeof *mosts; m++) {
        topo_group_ranks_most = mosts[m];
        int most = 0, seen = 0;
        for (int at = 0, left = 0; at < tree->ranks; at++) {
            struct topo_node_group group = topo_node_group_of(tree, at);
            int node = topo_tree_unit(tree, node_level, topo_tree_rank(tree, at));
            bool first = at == 0 || node != topo_tree_unit(tree, node_level, topo_tree_rank(tree, at - 1));
            if (first) {
                ck_assert_msg(left == 0, "no group goes on in another node");
                seen = 0;
            }
            if (left == 0) {
                ck_assert_msg(group.mine == seen++ && group.ranks > 0 && group.ranks <= mosts[m],
                              "group %d of %d ranks is the next one, of at most %d", group.mine, group.ranks, mosts[m]);
                left = group.ranks;
            }
            ck_assert_msg(group.mine == seen - 1 && group.groups >= seen, "one group after the other");
            left--;
            bool last = at + 1 == tree->ranks || node != topo_tree_unit(tree, node_level, topo_tree_rank(tree, at + 1));
            ck_assert_msg(!last || (left == 0 && group.groups == seen), "the groups are those of the node");
            most = group.groups > most ? group.groups : most;
        }
        for (int at = 0; at < tree->ranks; at++)
            ck_assert_msg(topo_node_group_of(tree, at).groups_most == most, "%d groups in the node with most", most);
    }
    topo_group_ranks_most = TOPO_GROUP_RANKS;
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("node_groups", {cuts}, {any_machine, MACHINES})
