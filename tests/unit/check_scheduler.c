#include "schedule.h"

#include "machines.h"
#include "schedule/balance.h"
#include "schedule/css.h"
#include "schedule/scheduler.h"

START_TEST(rows)
{
    static const char *const names[TOPO_SCHEDULERS] = {"drc", "sdrc", "ggp", "css", "balanced"};
    int found = 0;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        enum topo_scheduler scheduler = topo_scheduler_of(id);
        if (scheduler == TOPO_SCHEDULERS)
            continue;
        ck_assert_int_eq(topo_algorithm(id)->operation, TOPO_OPERATION_alltoallv);
        ck_assert_str_eq(topo_algorithm(id)->name, names[scheduler]);
        found++;
    }
    ck_assert_msg(found == TOPO_SCHEDULERS, "every scheduler has one row");
}
END_TEST

/* All messages whole or in parts, one a step for each rank; css may give a sender several. Its seconds are the
 * model's. */
START_TEST(what_is_run)
{
    struct topo_tree *tree = machine_of("node:3 core:2");
    struct topo_params params;
    topo_params_default(&params);
    for (int seed = 0; seed < 60; seed++) {
        uint64_t state = (uint64_t)seed;
        int64_t bytes[36], without[36];
        for (int i = 0; i < 36; i++) {
            bytes[i] = topo_random_below(&state, 3) ? (int64_t)topo_random_below(&state, 100000) : 0;
            without[i] = i % 7 ? bytes[i] : 0;
        }
        struct topo_matrix *matrix = dense_matrix(6, 6, without);
        for (int scheduler = 0; scheduler < TOPO_SCHEDULERS; scheduler++) {
            struct topo_schedule *schedule = NULL;
            struct topo_error error = {""};
            double seconds;
            ck_assert_int_eq(topo_scheduler_run(scheduler, matrix, tree, &params, &schedule), TOPO_OK);
            ck_assert_msg(topo_schedule_check(schedule, matrix,
                                              scheduler == TOPO_SCHEDULER_css        ? TOPO_RULE_RECEIVER
                                              : scheduler == TOPO_SCHEDULER_balanced ? TOPO_RULE_NONE
                                                                                     : TOPO_RULE_MATCHING,
                                              &error) == TOPO_OK,
                          "seed %d, scheduler %d: %s", seed, scheduler, error.text);
            ck_assert_int_eq(topo_schedule_seconds(schedule, tree, &params, &seconds, NULL), TOPO_OK);
            ck_assert_double_eq(topo_scheduler_seconds(scheduler, tree, &params, bytes), seconds);
            topo_schedule_free(schedule);
        }
        topo_matrix_free(matrix);
    }
    topo_tree_free(tree);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine_of("node:2 core:2");
    struct topo_params params;
    int64_t bytes[16] = {0, 5, 6, 7, 8, 0, 9, 1, 2, 3, 0, 4, 5, 6, 7, 0};
    topo_params_default(&params);
    for (int scheduler = 0; scheduler < TOPO_SCHEDULERS; scheduler++)
        UNIT_OUT_OF_MEMORY(topo_scheduler_seconds(scheduler, tree, &params, bytes) < 0 ? TOPO_NOMEM : TOPO_OK);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("scheduler", {rows}, {what_is_run}, {out_of_memory})
