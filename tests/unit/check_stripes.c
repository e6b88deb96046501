/* Who owns which stripe; that their sums add up is in check_sum_ranks. */
#include "machines.h"

#include "patterns/stripes.h"

START_TEST(owners)
{
    for (int index = 0; index < MACHINES; index++) {
        struct topo_tree *tree = machine(index);
        struct topo_stripes stripes;
        ck_assert_int_eq(topo_stripes_of(tree, &stripes), TOPO_OK);
        int largest = 0, members = 0;
        for (int node = 0; node < stripes.nodes; node++) {
            int size = topo_stripes_members(&stripes, node), owned[64] = {0};
            ck_assert_int_gt(size, 0);
            for (int stripe = 0; stripe < stripes.stripes; stripe++) {
                int owner = topo_stripes_owner(&stripes, node, stripe),
                    rank = topo_stripes_rank(&stripes, node, stripe);
                ck_assert_int_eq(owner, stripe % size);
                ck_assert_int_eq(rank, topo_stripes_member(&stripes, node, owner));
                ck_assert_int_eq(topo_tree_node_of(tree, rank), node);
                owned[owner]++;
            }
            for (int member = 1; member < size; member++)
                ck_assert_msg(owned[member] == owned[0] || owned[member] == owned[0] - 1, "shares are even");
            largest = size > largest ? size : largest;
            members += size;
        }
        ck_assert(stripes.stripes == largest && members == tree->ranks);
        for (int place = 0; place < tree->ranks; place++)
            ck_assert_int_eq(topo_stripes_node(&stripes, place), topo_tree_node_of(tree, topo_tree_rank(tree, place)));
        topo_stripes_free(&stripes);
        topo_tree_free(tree);
    }
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine_of("node:3 core:4,2,1");
    struct topo_stripes stripes;
    UNIT_OUT_OF_MEMORY(topo_stripes_of(tree, &stripes));
    topo_stripes_free(&stripes);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("stripes", {owners}, {out_of_memory})
