/* A plan holds what was put into it, and is used again. */
#include "unit.h"

#include "plan/plan.h"

static enum topo_status fill(struct topo_plan *plan)
{
    enum topo_status status = TOPO_OK;
    topo_plan_clear(plan);
    for (int task = 0; task < 3 && status == TOPO_OK; task++) {
        status = topo_plan_add(plan, (struct topo_task){.kind = TOPO_TASK_SEND, .tag = task});
        for (int turn = 0; turn < task + 2 && status == TOPO_OK; turn++)
            status = topo_plan_add_turn(plan, (struct topo_turn){10 * task + turn, turn, 1});
    }
    return status;
}

START_TEST(tasks_and_turns)
{
    struct topo_plan plan = {0};
    for (int round = 0; round < 2; round++) {
        ck_assert_int_eq(fill(&plan), TOPO_OK);
        ck_assert_int_eq(plan.tasks, 3);
        ck_assert_int_eq(plan.turns, 2 + 3 + 4);
        for (int task = 0; task < 3; task++) {
            ck_assert_int_eq(plan.task[task].tag, task);
            ck_assert_int_eq(plan.task[task].turns, task + 2);
            for (int turn = 0; turn < task + 2; turn++)
                ck_assert_int_eq(plan.turn[plan.task[task].turn + turn].peer, 10 * task + turn);
        }
    }
    topo_plan_free(&plan);
    ck_assert_int_eq(plan.tasks, 0);
    UNIT_OUT_OF_MEMORY(fill(&plan), topo_plan_free(&plan));
}
END_TEST

/* Blocks lie one after the other and are the vector. */
START_TEST(blocks)
{
    for (size_t bytes = 1; bytes < 300000; bytes = bytes * 3 / 2 + 1)
        for (int shares = 0; shares < 40; shares += 3) {
            struct topo_plan plan = {.cut = topo_pipeline_cut(bytes, 4096, shares % 4, 64), .shares = shares};
            size_t at = 0;
            for (int64_t block = 0; block < topo_plan_blocks(&plan); block++) {
                ck_assert_uint_eq(topo_plan_offset(&plan, block), at);
                ck_assert_uint_ge(topo_plan_offset(&plan, block + 1), at);
                at = topo_plan_offset(&plan, block + 1);
            }
            ck_assert_uint_eq(at, bytes);
        }
}
END_TEST

/* The same where it is cut again and again: no block, or part of several, is longer than the first one. */
START_TEST(cuts)
{
    static const int parts[][4] = {{1}, {5}, {4, 4}, {3, 5, 2}, {2, 2, 2, 3}, {7, 1, 3}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t bytes = 1; bytes < 200; bytes++) {
            struct topo_plan plan = {.cut.bytes = bytes};
            size_t at = 0;
            for (int cut = 0; cut < 4 && parts[i][cut] > 0; cut++)
                topo_plan_cut_again(&plan, parts[i][cut]);
            const int64_t blocks = topo_plan_blocks(&plan);
            for (int64_t block = 0; block < blocks; block++) {
                ck_assert_uint_eq(topo_plan_offset(&plan, block), at);
                for (int cut = plan.cuts, part = 1; cut > 0; part *= plan.into[--cut])
                    ck_assert(block % part > 0 ||
                              topo_plan_length(&plan, block, part) <= topo_plan_offset(&plan, part));
                at += topo_plan_length(&plan, block, 1);
            }
            ck_assert_uint_eq(at, bytes);
        }
}
END_TEST

UNIT_MAIN("plan", {tasks_and_turns}, {blocks}, {cuts})
