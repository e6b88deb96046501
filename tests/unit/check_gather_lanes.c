#include "unit.h"

#include "machines.h"
#include "plan/gather.h"
#include "plan/together.h"

static struct topo_plan *plans_of(const struct topo_tree *tree, bool oversubscribed)
{
    const struct topo_plan_input call = {.bytes = (size_t)tree->ranks, .oversubscribed = oversubscribed};
    struct topo_plan *plan;
    ck_assert_int_eq(topo_plans_make_all(tree, topo_plan_gather_lanes, &call, &plan), TOPO_OK);
    return plan;
}

/* Blocks that a rank receives or sends in a round. */
static int carried(const struct topo_plan *plan, enum topo_task_kind kind)
{
    int blocks = 0;
    for (int task = 0; task < plan->tasks; task++)
        blocks += plan->task[task].kind == kind ? plan->task[task].turns : 0;
    return blocks;
}

/* On equal nodes every rank carries as many blocks as every other, in a ring and by trees. */
START_TEST(even)
{
    static const struct {
        const char *machine;
        int carried;
    } machines[] = {{"node:4 core:4", 3}, {"node:7 core:2", 6}, {"switch:2 node:6 core:2", 11}};
    for (size_t i = 0; i < 2 * sizeof machines / sizeof *machines; i++) {
        struct topo_tree *tree = machine_of(machines[i / 2].machine);
        struct topo_plan *plan = plans_of(tree, i % 2);
        for (int rank = 0; rank < tree->ranks; rank++) {
            ck_assert_int_eq(carried(&plan[rank], TOPO_TASK_RECEIVE), machines[i / 2].carried);
            ck_assert_int_eq(carried(&plan[rank], TOPO_TASK_SEND), machines[i / 2].carried);
        }
        topo_plans_free_all(tree, plan);
        topo_tree_free(tree);
    }
}
END_TEST

/* A node of 3 ranks among six of 8: each of its ranks receives 16 of their 48 blocks, in any form. */
START_TEST(shared_out)
{
    struct topo_tree *tree = machine_of("node:7 core:8,8,8,8,8,8,3");
    for (int ring = 0; ring < 2; ring++) {
        struct topo_plan *plan = plans_of(tree, ring);
        for (int rank = 48; rank < 51; rank++)
            ck_assert_int_eq(carried(&plan[rank], TOPO_TASK_RECEIVE), 16);
        topo_plans_free_all(tree, plan);
    }
    topo_tree_free(tree);
}
END_TEST

/* On 7 nodes of one rank, the last of them: its blocks in order, the fewest messages and the nearest first, and where
 * they come from. Node 6 has distance 3 to node 3, whose block comes by node 4. */
START_TEST(by_trees)
{
    static const int position[] = {6, 5, 4, 2, 3, 1, 0}, from[] = {-1, 5, 4, 2, 4, 2, 2};
    struct topo_tree *tree = machine_of("node:7 core:1");
    struct topo_plan *plans = plans_of(tree, false), *plan = &plans[6];
    for (int place = 0; place < 7; place++)
        ck_assert_int_eq(topo_plan_number_in(plan, place), position[place]);
    for (int task = 0; task < plan->tasks; task++)
        for (int i = 0; i < plan->task[task].turns && plan->task[task].kind == TOPO_TASK_RECEIVE; i++) {
            const struct topo_turn *turn = &plan->turn[plan->task[task].turn + i];
            ck_assert_int_eq(turn->peer, from[turn->block]);
        }
    topo_plans_free_all(tree, plans);
    topo_tree_free(tree);
}
END_TEST

static void check_cut(const char *machine, bool oversubscribed, size_t longest, enum topo_path_kind kind,
                      size_t segment)
{
    struct topo_tree *tree = machine_of(machine);
    struct topo_levels *levels = NULL;
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    struct topo_gather_lanes_cut cut = topo_gather_lanes_cut(levels, oversubscribed, longest);
    ck_assert_msg(cut.kind == kind && cut.segment == segment, "%s: kind %d in segments of %zu", machine, (int)cut.kind,
                  cut.segment);
    topo_levels_free(levels);
    topo_tree_free(tree);
}

/* By trees among more than four nodes or parts of a unit, where each rank has a processor; where nodes differ, blocks
 * of one segment alone. */
START_TEST(cut)
{
    const size_t small = 16 << 10, large = 1 << 20;
    check_cut("node:4 core:16", false, small, TOPO_PATH_RING, 32 << 10);
    check_cut("node:5 core:1", false, large, TOPO_PATH_TREE, 32 << 10);
    check_cut("node:5 core:4", false, large, TOPO_PATH_TREE, 16 << 10);
    check_cut("node:5 core:4", true, small, TOPO_PATH_RING, 32 << 10);
    check_cut("node:5 core:4,3,4,4,4", false, small, TOPO_PATH_TREE, 16 << 10);
    check_cut("node:5 core:4,3,4,4,4", false, small + 1, TOPO_PATH_RING, 32 << 10);
    check_cut("switch:4 node:4 core:4", false, small, TOPO_PATH_RING, 32 << 10);
    check_cut("switch:2 node:6 core:64", false, large, TOPO_PATH_TREE, 8 << 10);
}
END_TEST

UNIT_MAIN("gather_lanes", {even}, {shared_out}, {by_trees}, {cut})
