/* What a run lets begin: within windows, what is here, and no more sends at a time than the plan says. */
#include "unit.h"

#include "plan/run.h"

/* A node in the middle of a chain, whose receives are two at a time and sends three, and passes on to two others. */
static void middle(struct topo_plan *plan, size_t segments)
{
    struct topo_task task = {.kind = TOPO_TASK_RECEIVE, .stride = 1, .window = 2, .after = TOPO_PLAN_NO_TASK};
    *plan = (struct topo_plan){.cut = topo_pipeline_cut(segments * 64, 64, 0, 64)};
    ck_assert_int_eq(topo_plan_add_one(plan, task, (struct topo_turn){7, 0, 1}), TOPO_OK);
    task.kind = TOPO_TASK_SEND;
    task.needs = TOPO_PLAN_ALL;
    task.window = 3;
    task.awaited = 3;
    ck_assert_int_eq(topo_plan_add_one(plan, task, (struct topo_turn){8, 0, 1}), TOPO_OK);
    ck_assert_int_eq(topo_plan_add_one(plan, task, (struct topo_turn){9, 0, 1}), TOPO_OK);
}

START_TEST(windows)
{
    struct topo_plan plan;
    struct topo_plan_run run;
    middle(&plan, 5);
    void *memory = topo_alloc(topo_plan_run_bytes(&plan), 1);
    topo_plan_run_begin(&run, &plan, memory);
    ck_assert_int_eq(run.open, 3);
    ck_assert_int_eq(topo_plan_next_send(&run), -1);
    for (int i = 0; i < 2; i++) {
        ck_assert(topo_plan_may_begin(&run, 0));
        topo_plan_begun(&run, 0);
    }
    ck_assert_msg(!topo_plan_may_begin(&run, 0), "two at a time");
    ck_assert_msg(topo_plan_next_send(&run) < 0, "nothing is here");
    topo_plan_over(&run, 0);
    ck_assert(topo_plan_may_begin(&run, 0));
    ck_assert_int_eq(topo_plan_next_send(&run), 1);
    topo_plan_begun(&run, 1);
    ck_assert_msg(topo_plan_next_send(&run) == 2, "the one that has begun least");
    topo_plan_begun(&run, 2);
    ck_assert_int_eq(topo_plan_next_send(&run), -1);
    ck_assert_int_eq(run.sending, 2);
    topo_plan_over(&run, 1);
    ck_assert_int_eq(run.sending, 1);
    for (int64_t position = 0; position < 5; position++) {
        const struct topo_step step = topo_plan_step(&run, 1, position);
        ck_assert(step.peer == 8 && step.first == position && step.count == 1);
        ck_assert_int_eq(step.awaited, position == 2);
    }
    topo_free(memory);
    topo_plan_free(&plan);
}
END_TEST

START_TEST(at_once)
{
    struct topo_plan plan;
    struct topo_plan_run run;
    middle(&plan, 5);
    plan.has_all = true;
    plan.at_once = 2;
    void *memory = topo_alloc(topo_plan_run_bytes(&plan), 1);
    topo_plan_run_begin(&run, &plan, memory);
    for (int i = 0; i < 2; i++)
        topo_plan_begun(&run, topo_plan_next_send(&run));
    ck_assert_int_eq(topo_plan_next_send(&run), -1);
    topo_plan_over(&run, 1);
    ck_assert_int_eq(topo_plan_next_send(&run), 1);
    topo_free(memory);
    topo_plan_free(&plan);
}
END_TEST

/* The second task is at most one position behind the first, and lets it go on at its end. */
START_TEST(after)
{
    struct topo_plan plan;
    struct topo_plan_run run;
    middle(&plan, 3);
    plan.has_all = true;
    plan.task[1].after = 0;
    plan.task[1].lag = 1;
    void *memory = topo_alloc(topo_plan_run_bytes(&plan), 1);
    topo_plan_run_begin(&run, &plan, memory);
    topo_plan_begun(&run, 1);
    ck_assert(topo_plan_may_begin(&run, 1));
    topo_plan_begun(&run, 1);
    ck_assert(!topo_plan_may_begin(&run, 1));
    topo_plan_begun(&run, 0);
    topo_plan_over(&run, 0);
    ck_assert(topo_plan_may_begin(&run, 1));
    topo_free(memory);
    topo_plan_free(&plan);
}
END_TEST

UNIT_MAIN("run", {windows}, {at_once}, {after})
