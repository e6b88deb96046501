/* Planted faults of each kind are found. */
#include "unit.h"

#include "machines.h"
#include "plan/exchange.h"
#include "plan/gather.h"
#include "plan/rooted.h"
#include "plan/scan.h"
#include "plan/sum_ranks.h"
#include "plan/together.h"

/* A machine of four nodes, and what is wrong with the plan of one rank there. */
struct fault {
    const char *name;
    topo_plan_function *form;
    int rank;
    enum topo_task_kind kind;
    void (*plant)(struct topo_plan *plan, struct topo_task *task);
};

static void other_peer(struct topo_plan *plan, struct topo_task *task)
{
    plan->turn[task->turn].peer = (plan->turn[task->turn].peer + 2) % 8;
}

static void other_block(struct topo_plan *plan, struct topo_task *task)
{
    plan->turn[task->turn].block++;
}

static void other_tag(struct topo_plan *plan, struct topo_task *task)
{
    (void)plan;
    task->tag++;
}

static void nothing(struct topo_plan *plan, struct topo_task *task)
{
    (void)plan;
    task->window = 0;
}

static void twice(struct topo_plan *plan, struct topo_task *task)
{
    ck_assert_int_eq(topo_plan_add(plan, *task), TOPO_OK);
    plan->task[plan->tasks - 1].turn = plan->task[0].turn;
}

static void all_from_the_start(struct topo_plan *plan, struct topo_task *task)
{
    (void)task;
    plan->has_all = true;
}

static void circle(struct topo_plan *plan, struct topo_task *task)
{
    task->after = (int)(task - plan->task);
    task->lag = -1;
}

/* The first task of the kind that is asked for; the last one. */
static void needs_nothing(struct topo_plan *plan, struct topo_task *task)
{
    (void)plan;
    task->needs = 0;
}

static void last_after_nothing(struct topo_plan *plan, struct topo_task *task)
{
    struct topo_task *last = &plan->task[plan->tasks - 1];
    while (last->kind != task->kind)
        last--;
    last->after = TOPO_PLAN_NO_TASK;
}

static void own_but_once(struct topo_plan *plan, struct topo_task *task)
{
    (void)task;
    plan->again = false;
}

static void received_at_once(struct topo_plan *plan, struct topo_task *task)
{
    (void)task;
    for (int i = 0; i < plan->tasks; i++)
        plan->task[i].after = TOPO_PLAN_NO_TASK;
}

static void lies_elsewhere(struct topo_plan *plan, struct topo_task *task)
{
    (void)task;
    plan->lies_first++;
}

static void other_order(struct topo_plan *plan, struct topo_task *task)
{
    (void)task;
    plan->order[0].first = plan->order[0].first == 0 ? 2 : 0;
}

/* What a rank sends first does not wait for its node. */
static void sent_at_once(struct topo_plan *plan, struct topo_task *task)
{
    (void)plan;
    task->after = 0;
}

static void other_self(struct topo_plan *plan, struct topo_task *task)
{
    (void)task;
    plan->self++;
}

static int other_way(const void *of, int rank)
{
    (void)of;
    return 7 - rank;
}

START_TEST(planted)
{
    static const struct fault faults[] = {
        {"a peer", topo_plan_bcast_chain, 2, TOPO_TASK_SEND, other_peer},
        {"a block", topo_plan_bcast_trees, 2, TOPO_TASK_SEND, other_block},
        {"a tag", topo_plan_bcast_trees, 2, TOPO_TASK_RECEIVE, other_tag},
        {"no send", topo_plan_bcast_leader, 0, TOPO_TASK_SEND, nothing},
        {"no receive", topo_plan_bcast_circulant, 4, TOPO_TASK_RECEIVE, nothing},
        {"nothing given", topo_plan_bcast_halving, 4, TOPO_TASK_GIVE, nothing},
        {"nothing taken", topo_plan_bcast_chain, 5, TOPO_TASK_TAKE, nothing},
        {"twice", topo_plan_bcast_chain, 2, TOPO_TASK_RECEIVE, twice},
        {"sent too early", topo_plan_bcast_chain, 2, TOPO_TASK_SEND, all_from_the_start},
        {"a circle", topo_plan_bcast_chain, 2, TOPO_TASK_SEND, circle},
        {"a sum's peer", topo_plan_reduce_circulant, 4, TOPO_TASK_SEND, other_peer},
        {"a sum's block", topo_plan_reduce_trees, 2, TOPO_TASK_SEND, other_block},
        {"added twice", topo_plan_reduce_trees, 0, TOPO_TASK_RECEIVE, twice},
        {"not added", topo_plan_reduce_circulant, 0, TOPO_TASK_RECEIVE, nothing},
        {"a sum before it is whole", topo_plan_sum_halving, 0, TOPO_TASK_SEND, last_after_nothing},
        {"added to while it is sent", topo_plan_sum_leader, 2, TOPO_TASK_RECEIVE, needs_nothing},
        {"a ring's block", topo_plan_gather_ring, 5, TOPO_TASK_SEND, other_block},
        {"a block that comes again", topo_plan_gather_bruck_exch, 2, TOPO_TASK_SEND, own_but_once},
        {"received to what is sent", topo_plan_gather_doubling_exch, 2, TOPO_TASK_RECEIVE, received_at_once},
        {"in two pieces", topo_plan_gather_bruck, 2, TOPO_TASK_SEND, lies_elsewhere},
        {"in another order", topo_plan_gather_leader, 2, TOPO_TASK_SEND, other_order},
        {"not given to the node", topo_plan_gather_leader, 3, TOPO_TASK_GIVE, nothing},
        {"another's block given", topo_plan_gather_radix, 3, TOPO_TASK_GIVE, other_block},
        {"a lane's block", topo_plan_gather_lanes, 2, TOPO_TASK_SEND, other_block},
        {"a round without room", topo_plan_gather_lanes, 3, TOPO_TASK_TAKE, nothing},
        {"a lane's own block not given", topo_plan_gather_lanes, 3, TOPO_TASK_GIVE, nothing},
        {"sent before the node has it", topo_plan_gather_radix, 2, TOPO_TASK_SEND, sent_at_once},
        {"what goes to another", topo_plan_exchange, 3, TOPO_TASK_SEND, other_self},
        {"what comes from no one", topo_plan_exchange_firsts, 4, TOPO_TASK_RECEIVE, nothing},
    };
    struct topo_tree *tree = machine_of("node:4 core:2");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const bool sums = faults[i].form == topo_plan_reduce_trees || faults[i].form == topo_plan_reduce_circulant ||
                          faults[i].form == topo_plan_sum_leader || faults[i].form == topo_plan_sum_halving;
        const struct topo_plan_input call = {.root = faults[i].form == topo_plan_sum_leader ? -1 : 0,
                                             .bytes = 100000,
                                             .shares = true,
                                             .stripes = sums,
                                             .element = 8,
                                             .parts = 2,
                                             .numbers = {other_way, other_way, NULL},
                                             .parameters.radix = sums ? 2 : 0};
        struct topo_error error = {""};
        struct topo_plan *all;
        ck_assert_int_eq(topo_plans_make_all(tree, faults[i].form, &call, &all), TOPO_OK);
        if (faults[i].form == topo_plan_gather_lanes)
            ck_assert_int_eq(topo_plans_in_windows(tree, &call, false, 5, 2, all), TOPO_OK);
        ck_assert_int_eq(topo_plans_together(tree, all, &error), TOPO_OK);
        struct topo_plan *plan = &all[faults[i].rank];
        int task = 0;
        while (task < plan->tasks && plan->task[task].kind != faults[i].kind)
            task++;
        ck_assert_msg(task < plan->tasks, "%s", faults[i].name);
        faults[i].plant(plan, &plan->task[task]);
        ck_assert_msg(topo_plans_together(tree, all, &error) == TOPO_INVALID, "%s is not found", faults[i].name);
        topo_plans_free_all(tree, all);
    }
    topo_tree_free(tree);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine_of("switch:2 node:5,2 core:3");
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        struct topo_plan_input call = {.bytes = 5000, .shares = true};
        struct topo_error error = {""};
        struct topo_plan *plan = NULL;
        if (!topo_plan_of(id) || topo_plan_sums_by_rank(topo_plan_of(id)) ||
            topo_plan_sums_in_rounds(topo_plan_of(id)) ||
            !topo_algorithm_applies(topo_algorithm(id), tree->ranks, NULL))
            continue;
        const enum topo_operation operation = topo_algorithm(id)->operation;
        if (operation != TOPO_OPERATION_bcast && operation != TOPO_OPERATION_allgather &&
            operation != TOPO_OPERATION_allgatherv && !topo_plan_is_exchange(topo_plan_of(id)) &&
            !topo_plan_is_rooted(topo_plan_of(id))) {
            call.stripes = call.parts = !topo_plan_is_scan(topo_plan_of(id));
            call.element = 8;
        }
        UNIT_OUT_OF_MEMORY(topo_plans_make_all(tree, topo_plan_of(id), &call, &plan), topo_plans_free_all(tree, plan));
        ck_assert_int_eq(topo_plans_make_all(tree, topo_plan_of(id), &call, &plan), TOPO_OK);
        if (topo_plan_of(id) == topo_plan_gather_lanes)
            UNIT_OUT_OF_MEMORY(topo_plans_in_windows(tree, &call, false, 2, 2, plan), (void)0);
        UNIT_OUT_OF_MEMORY(topo_plans_together(tree, plan, &error), (void)0);
        topo_plans_free_all(tree, plan);
    }
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("together", {planted}, {out_of_memory})
