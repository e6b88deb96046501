/* Exchanges between all ranks, between the first ranks of nodes, and in the steps of every scheduler under every
 * synchronisation, on every machine: the plans of all ranks bring each message once, and end. */
#include "unit.h"

#include <string.h>

#include "base/memory.h"
#include "machines.h"
#include "plan/exchange.h"
#include "plan/together.h"
#include "schedule/random.h"
#include "schedule/scheduler.h"

static void prove(const struct topo_tree *tree, topo_plan_function *form, const char *machine)
{
    const struct topo_plan_input call = {.root = -1, .bytes = 16 * (size_t)tree->ranks};
    struct topo_plan *plan;
    struct topo_error error = {""};
    ck_assert_int_eq(topo_plans_make_all(tree, form, &call, &plan), TOPO_OK);
    ck_assert_msg(topo_plans_together(tree, plan, &error) == TOPO_OK, "%s: %s", machine, error.text);
    topo_plans_free_all(tree, plan);
}

static void prove_both(const struct topo_tree *tree, const char *name)
{
    prove(tree, topo_plan_exchange, name);
    prove(tree, topo_plan_exchange_firsts, name);
}

START_TEST(every_machine)
{
    on_machine(_i, prove_both);
}
END_TEST

/* All shapes of up to six ranks on nodes. */
START_TEST(small_ones)
{
    each_small_machine(prove_both);
}
END_TEST

/* What the ranks of a machine send: few, many or all messages, equal or not, to themselves too. */
static struct topo_matrix *matrix_of(int ranks, uint64_t seed)
{
    uint64_t state = seed;
    struct topo_matrix *matrix = NULL;
    const uint64_t fill = seed % 4 == 0 ? 100 : topo_random_below(&state, 101);
    int64_t *weight = topo_calloc((size_t)(ranks * ranks), sizeof *weight);
    for (int i = 0; i < ranks * ranks; i++)
        if (topo_random_below(&state, 100) < fill)
            weight[i] = seed % 3 == 0 ? 1000 : 1 + (int64_t)topo_random_below(&state, 200000);
    ck_assert_int_eq(topo_matrix_dense(ranks, ranks, weight, &matrix, NULL), TOPO_OK);
    topo_free(weight);
    return matrix;
}

/* A schedule's plans of all ranks. */
struct stepped {
    struct topo_levels *levels;
    struct topo_plan *plan;
};

static void stepped_free(const struct topo_tree *tree, struct stepped *all)
{
    for (int rank = 0; all->plan && rank < tree->ranks; rank++)
        topo_plan_free(&all->plan[rank]);
    topo_free(all->plan);
    topo_levels_free(all->levels);
    *all = (struct stepped){NULL, NULL};
}

static enum topo_status make_steps(const struct topo_tree *tree, const struct topo_matrix *matrix,
                                   enum topo_scheduler scheduler, enum topo_steps_sync sync, struct stepped *all)
{
    struct topo_params params;
    struct topo_schedule *schedule = NULL;
    struct topo_schedule_lists lists = {NULL, NULL, NULL};
    topo_params_default(&params);
    const struct topo_scheduler_request request = {
        .scheduler = scheduler, .matrix = matrix, .tree = tree, .params = &params};
    *all = (struct stepped){NULL, topo_calloc((size_t)tree->ranks, sizeof *all->plan)};
    bool good = all->plan && topo_levels_new(tree, 0, &all->levels) == TOPO_OK &&
                topo_scheduler_run(&request, &schedule, NULL, NULL) == TOPO_OK &&
                topo_schedule_cut(schedule, matrix, &lists) == TOPO_OK;
    for (int rank = 0; good && rank < tree->ranks; rank++) {
        const struct topo_plan_input in = {.tree = tree, .levels = all->levels, .rank = rank};
        good = topo_plan_exchange_steps(&in, lists.task + lists.places[rank], lists.counts[rank], sync,
                                        &all->plan[rank]) == TOPO_OK;
    }
    topo_schedule_lists_free(&lists);
    topo_schedule_free(schedule);
    if (!good)
        stepped_free(tree, all);
    return good ? TOPO_OK : TOPO_NOMEM;
}

/* Bytes that come to a rank, but for its own. */
static int64_t bytes_to(const struct topo_matrix *matrix, int rank)
{
    int64_t bytes = -topo_matrix_at(matrix, rank, rank);
    for (int from = 0; from < matrix->senders; from++)
        bytes += topo_matrix_at(matrix, from, rank);
    return bytes;
}

START_TEST(steps)
{
    struct topo_tree *tree = machine(_i);
    struct topo_matrix *matrix = matrix_of(tree->ranks, (uint64_t)_i);
    for (int scheduler = 0; scheduler < TOPO_SCHEDULERS; scheduler++)
        for (int sync = TOPO_SYNC_NONE; sync <= TOPO_SYNC_UNEVEN; sync++) {
            struct stepped all;
            struct topo_error error = {""};
            ck_assert_int_eq(make_steps(tree, matrix, (enum topo_scheduler)scheduler, (enum topo_steps_sync)sync, &all),
                             TOPO_OK);
            ck_assert_msg(topo_plans_together(tree, all.plan, &error) == TOPO_OK,
                          "machine %d, scheduler %d, synchronisation %d: %s", _i, scheduler, sync, error.text);
            for (int rank = 0; rank < tree->ranks; rank++) {
                int64_t bytes = 0;
                for (int i = 0; i < all.plan[rank].parts; i++)
                    bytes += all.plan[rank].part[i].block < tree->ranks ? all.plan[rank].part[i].bytes : 0;
                ck_assert_int_eq(bytes, bytes_to(matrix, rank));
            }
            stepped_free(tree, &all);
        }
    topo_matrix_free(matrix);
    topo_tree_free(tree);
}
END_TEST

/* Planted faults are found: a part of other bytes, a message that is not received, two steps the other way round. */
START_TEST(faults)
{
    struct topo_tree *tree = machine_of("node:4 core:2");
    struct topo_matrix *matrix = matrix_of(tree->ranks, 4);
    for (int fault = 0; fault < 4; fault++) {
        struct stepped all;
        struct topo_error error = {""};
        ck_assert_int_eq(make_steps(tree, matrix, TOPO_SCHEDULER_ggp, TOPO_SYNC_SENDRECV, &all), TOPO_OK);
        struct topo_plan *plan = &all.plan[3];
        int task = 0;
        while (plan->task[task].kind != TOPO_TASK_RECEIVE)
            task++;
        struct topo_turn *turn = &plan->turn[plan->task[task].turn];
        if (fault == 1)
            plan->part[turn->block - plan->ranks].offset++;
        if (fault == 2)
            turn->blocks = 0;
        if (fault == 3) {
            int last = plan->tasks - 1;
            while (plan->task[last].kind != TOPO_TASK_RECEIVE || plan->task[last].round)
                last--;
            struct topo_turn *other = &plan->turn[plan->task[last].turn], kept = *turn;
            ck_assert(turn->peer != other->peer);
            *turn = *other;
            *other = kept;
        }
        ck_assert_msg((topo_plans_together(tree, all.plan, &error) == TOPO_OK) == (fault == 0), "fault %d: %s", fault,
                      error.text);
        stepped_free(tree, &all);
    }
    topo_matrix_free(matrix);
    topo_tree_free(tree);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine_of("node:3 core:2");
    struct topo_matrix *matrix = matrix_of(tree->ranks, 4);
    struct stepped all;
    UNIT_OUT_OF_MEMORY(make_steps(tree, matrix, TOPO_SCHEDULER_drc, TOPO_SYNC_UNEVEN, &all), stepped_free(tree, &all));
    topo_matrix_free(matrix);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("exchange", {every_machine, MACHINES}, {small_ones}, {steps, MACHINES}, {faults}, {out_of_memory})
