#include "schedule.h"

#include "machines.h"
#include "schedule/links.h"
#include "schedule/css.h"
#include "schedule/ggp.h"
#include "schedule/scheduler.h"

START_TEST(rows)
{
    static const char *const names[TOPO_SCHEDULERS] = {"drc", "sdrc", "ggp", "css"};
    int found = 0;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        enum topo_scheduler scheduler = topo_scheduler_of(id);
        if (scheduler == TOPO_SCHEDULERS)
            continue;
        ck_assert_int_eq(topo_algorithm(id)->operation, TOPO_OPERATION_alltoallv);
        ck_assert_str_eq(topo_algorithm(id)->name, names[scheduler]);
        ck_assert_int_eq(topo_scheduler_algorithm(scheduler), id);
        found++;
    }
    ck_assert_msg(found == TOPO_SCHEDULERS, "every scheduler has one row");
}
END_TEST

/* Messages of up to 100,000 bytes between two thirds of six ranks' pairs. */
static void fill(int seed, int64_t *bytes, int64_t *without)
{
    uint64_t state = (uint64_t)seed;
    for (int i = 0; i < 36; i++) {
        bytes[i] = topo_random_below(&state, 3) ? (int64_t)topo_random_below(&state, 100000) : 0;
        without[i] = i % 7 ? bytes[i] : 0;
    }
}

/* All messages whole or in parts, one a step for each rank; css may give a sender several, and has what ranks keep for
 * themselves in its steps. Its seconds are the model's. */
START_TEST(what_is_run)
{
    struct topo_tree *tree = machine_of("node:3 core:2");
    struct topo_params params;
    int css = 0;
    topo_params_default(&params);
    for (int seed = 0; seed < 60; seed++) {
        int64_t bytes[36], without[36];
        fill(seed, bytes, without);
        struct topo_matrix *matrix = dense_matrix(6, 6, bytes), *others = dense_matrix(6, 6, without);
        for (int scheduler = 0; scheduler < TOPO_SCHEDULERS; scheduler++) {
            const struct topo_scheduler_request request = {
                .scheduler = scheduler, .matrix = matrix, .tree = tree, .params = &params};
            struct topo_scheduler_result result;
            struct topo_schedule *schedule = NULL;
            struct topo_error error = {""};
            double seconds;
            ck_assert_int_eq(topo_scheduler_run(&request, &schedule, &result, &error), TOPO_OK);
            bool by_css = result.ran == TOPO_SCHEDULER_css;
            ck_assert_msg(by_css ? scheduler == TOPO_SCHEDULER_css && result.css.form != TOPO_CSS_GENERAL
                                 : (int)result.ran == scheduler ||
                                       (scheduler == TOPO_SCHEDULER_css && result.ran == TOPO_SCHEDULER_drc &&
                                        result.css.form == TOPO_CSS_GENERAL),
                          "seed %d: what ran is what is said", seed);
            css += by_css;
            ck_assert_msg(topo_schedule_check(schedule, by_css ? matrix : others,
                                              by_css ? TOPO_RULE_RECEIVER : TOPO_RULE_MATCHING, &error) == TOPO_OK,
                          "seed %d, scheduler %d: %s", seed, scheduler, error.text);
            ck_assert_int_eq(topo_schedule_seconds(schedule, tree, &params, &seconds, NULL), TOPO_OK);
            ck_assert_double_eq(topo_scheduler_seconds(scheduler, tree, &params, bytes), seconds);
            topo_schedule_free(schedule);
        }
        topo_matrix_free(matrix);
        topo_matrix_free(others);
    }
    ck_assert_msg(css > 5 && css < 55, "css by itself and as drc: %d of 60", css);
    topo_tree_free(tree);
}
END_TEST

static bool same_schedule(const struct topo_schedule *a, const struct topo_schedule *b)
{
    return a->steps == b->steps && !memcmp(a->first, b->first, ((size_t)a->steps + 1) * sizeof *a->first) &&
           !memcmp(a->piece, b->piece, (size_t)a->first[a->steps] * sizeof *a->piece);
}

/* No more than k messages in a step; merging takes fewer steps and no more seconds. */
START_TEST(forms_of_ggp)
{
    struct topo_tree *tree = machine_of("node:6 core:1");
    struct topo_params params;
    int fewer = 0;
    topo_params_default(&params);
    for (int seed = 0; seed < 60; seed++) {
        int64_t bytes[36], without[36];
        double seconds[4];
        int steps[4];
        fill(seed, bytes, without);
        struct topo_matrix *matrix = dense_matrix(6, 6, bytes);
        struct topo_scheduler_request request = {
            .scheduler = TOPO_SCHEDULER_ggp, .matrix = matrix, .tree = tree, .params = &params, .k = 1 + seed % 6};
        struct topo_scheduler_result result;
        struct topo_schedule *schedule = NULL;
        for (int form = TOPO_GGP_FIRST; form <= TOPO_GGP_MERGED; form++) {
            request.form = form;
            ck_assert_int_eq(topo_scheduler_run(&request, &schedule, NULL, NULL), TOPO_OK);
            for (int t = 0; t < schedule->steps && form != TOPO_GGP_MERGED; t++)
                ck_assert_msg(schedule->first[t + 1] - schedule->first[t] <= request.k, "seed %d: k messages", seed);
            ck_assert_int_eq(topo_schedule_seconds(schedule, tree, &params, &seconds[form], NULL), TOPO_OK);
            steps[form] = schedule->steps;
            topo_schedule_free(schedule);
        }
        ck_assert_msg(steps[TOPO_GGP_MERGED] <= steps[TOPO_GGP_HEAVY], "seed %d: merging takes steps away", seed);
        /* First matchings in units of 1: the document's, whatever the links. */
        struct topo_matrix *others = dense_matrix(6, 6, without);
        struct topo_ggp document = {.k = request.k, .unit = 1};
        struct topo_schedule *plain;
        request.form = TOPO_GGP_FIRST;
        request.unit = 1;
        ck_assert_int_eq(topo_scheduler_run(&request, &schedule, &result, NULL), TOPO_OK);
        ck_assert_int_eq(topo_schedule_ggp(others, &document, &plain, NULL, NULL), TOPO_OK);
        ck_assert_msg(same_schedule(schedule, plain), "seed %d: the document's", seed);
        ck_assert(result.unit == 1 && result.form == TOPO_GGP_FIRST);
        topo_schedule_free(schedule);
        topo_schedule_free(plain);
        /* Of two processes with one number what is for oneself is sent as well. */
        request.own = true;
        ck_assert_int_eq(topo_scheduler_run(&request, &schedule, NULL, NULL), TOPO_OK);
        ck_assert_int_eq(topo_schedule_check(schedule, matrix, TOPO_RULE_MATCHING, NULL), TOPO_OK);
        topo_schedule_free(schedule);
        topo_matrix_free(others);
        fewer += steps[TOPO_GGP_MERGED] < steps[TOPO_GGP_HEAVY];
        topo_matrix_free(matrix);
    }
    ck_assert_msg(fewer > 10, "merging does something: %d of 60", fewer);
    topo_tree_free(tree);
}
END_TEST

START_TEST(number_of_messages)
{
    static const char *const wrong[] = {"", "0", "-1", "two", "4K", "99999999999"};
    struct topo_error error;
    int k = 7;
    ck_assert_int_eq(topo_scheduler_option_k("K", "auto", &k, &error), TOPO_OK);
    ck_assert_int_eq(k, 0);
    ck_assert_int_eq(topo_scheduler_option_k("K", "12", &k, &error), TOPO_OK);
    ck_assert_int_eq(k, 12);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(topo_scheduler_option_k("K", wrong[i], &k, &error), TOPO_PARSE);
        ck_assert_msg(strstr(error.text, "K=") && strstr(error.text, "auto"), "%s", error.text);
    }
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

UNIT_MAIN("scheduler", {rows}, {what_is_run}, {forms_of_ggp}, {number_of_messages}, {out_of_memory})
