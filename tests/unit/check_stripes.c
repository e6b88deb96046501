/* Who owns which stripe; that the steps add up is in check_allreduce_steps. */
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

/* The owner hears of each mate once and tells each once; the others send and receive one message. */
START_TEST(messages_of_a_place)
{
    struct topo_tree *tree = machine_of("node:3 core:4,2,1");
    struct topo_stripes stripes;
    ck_assert_int_eq(topo_stripes_of(tree, &stripes), TOPO_OK);
    for (int stripe = 0; stripe < stripes.stripes; stripe++)
        for (int place = 0; place < tree->ranks; place++) {
            struct topo_allreduce_steps steps = {0};
            int node = topo_stripes_node(&stripes, place), size = topo_stripes_members(&stripes, node), sent = 0,
                received = 0;
            bool owner = place - stripes.first[node] == topo_stripes_owner(&stripes, node, stripe);
            topo_allreduce_steps_stripe(&steps, &stripes, place, stripe, (struct topo_block){0, 400});
            for (int i = 0; i < steps.count; i++) {
                const struct topo_allreduce_step *step = &steps.list[i];
                sent += step->to >= 0 && step->send.count;
                received += step->from >= 0 && step->receive.count;
                ck_assert_msg(owner || step->to < 0 || topo_tree_node_of(tree, step->to) == node, "owners alone leave");
            }
            ck_assert_int_eq(sent, owner ? size - 1 + 2 * (3 - 1) : 1);
            ck_assert_int_eq(received, sent);
            topo_allreduce_steps_free(&steps);
        }
    topo_stripes_free(&stripes);
    topo_tree_free(tree);
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

UNIT_MAIN("stripes", {owners}, {messages_of_a_place}, {out_of_memory})
