#include "schedule.h"

#include <string.h>

#include "schedule/ggp.h"
#include "schedule/matching.h"

/* phi = max(W, ceil(P / k)) of the rounded weights, from the definition. */
static int64_t phi_of(const struct topo_matrix *matrix, int k, int64_t unit)
{
    int64_t most = 0, total = 0;
    int senders = 0, receivers = 0;
    for (int i = 0; i < matrix->senders; i++) {
        int64_t sum = 0;
        for (int j = 0; j < matrix->receivers; j++)
            sum += (topo_matrix_at(matrix, i, j) + unit - 1) / unit;
        total += sum;
        senders += sum > 0;
        most = sum > most ? sum : most;
    }
    for (int j = 0; j < matrix->receivers; j++) {
        int64_t sum = 0;
        for (int i = 0; i < matrix->senders; i++)
            sum += (topo_matrix_at(matrix, i, j) + unit - 1) / unit;
        receivers += sum > 0;
        most = sum > most ? sum : most;
    }
    int64_t shared = k ? (total + k - 1) / k : 0;
    return most > shared ? most : shared;
}

/* Runs ggp, checks all that it promises, returns its steps. */
static int run(const struct topo_matrix *matrix, struct topo_ggp ggp, int seed)
{
    struct topo_schedule *schedule = NULL;
    struct topo_ggp_result result;
    struct topo_error error = {""};
    ck_assert_msg(topo_schedule_ggp(matrix, &ggp, &schedule, &result, &error) == TOPO_OK, "seed %d: %s", seed,
                  error.text);
    struct topo_schedule_figures figures = right(schedule, matrix, TOPO_RULE_MATCHING, "ggp", seed);
    int64_t phi = phi_of(matrix, ggp.k, ggp.unit);
    ck_assert_msg(result.duration == phi, "seed %d, k = %d: the durations add up to %lld, max(W, P/k) is %lld", seed,
                  ggp.k, (long long)result.duration, (long long)phi);
    ck_assert_msg(result.decomposed == schedule->steps, "seed %d: no step is of dummies alone", seed);
    if (ggp.unit == 1)
        ck_assert_msg(figures.duration == phi, "seed %d: the pieces of a step are as long as the step", seed);
    for (int t = 0; t < schedule->steps; t++) {
        ck_assert_msg(schedule->first[t + 1] - schedule->first[t] <= ggp.k, "seed %d: at most %d messages in step %d",
                      seed, ggp.k, t);
        for (int64_t p = schedule->first[t]; p < schedule->first[t + 1]; p++)
            ck_assert_msg(schedule->piece[p].offset % ggp.unit == 0, "seed %d: parts begin at whole units", seed);
    }
    int steps = schedule->steps;
    topo_schedule_free(schedule);
    return steps;
}

START_TEST(seeds)
{
    static const int64_t units[] = {1, 1, 7, 4096};
    int64_t steps[2] = {0, 0};
    for (int seed = 0; seed < SEEDS; seed++) {
        struct topo_matrix *matrix = seeded_matrix(seed);
        int ks[] = {1, 2, 3, 1 + matrix->senders / 2, 40, 41};
        for (int heavy = 0; heavy < 2; heavy++) {
            struct topo_ggp ggp = {ks[seed % 6], units[seed % 4], heavy};
            steps[heavy] += run(matrix, ggp, seed);
        }
        topo_matrix_free(matrix);
    }
    printf("# steps of %d seeds together: %lld, with heavy matchings %lld\n", SEEDS, (long long)steps[0],
           (long long)steps[1]);
    ck_assert_msg(steps[1] < steps[0], "heavy matchings take fewer steps");
}
END_TEST

START_TEST(by_hand)
{
    struct topo_matrix *matrix = digit_matrix("90 09");
    ck_assert_int_eq(run(matrix, (struct topo_ggp){2, 1, false}, 0), 1);
    ck_assert_int_eq(run(matrix, (struct topo_ggp){1, 1, false}, 0), 2);
    topo_matrix_free(matrix);
    matrix = digit_matrix("7");
    ck_assert_int_eq(run(matrix, (struct topo_ggp){1, 1, true}, 0), 1);
    ck_assert_int_eq(run(matrix, (struct topo_ggp){9, 100, true}, 0), 1);
    topo_matrix_free(matrix);
    matrix = digit_matrix("0000 0000");
    ck_assert_int_eq(run(matrix, (struct topo_ggp){1, 1, true}, 0), 0);
    topo_matrix_free(matrix);
}
END_TEST

/* The heaviest bottleneck among all perfect matchings, by trying them all. */
static int64_t best_bottleneck(const struct topo_regular *graph, int left, unsigned taken, int64_t so_far)
{
    int64_t best = 0;
    if (left == graph->side)
        return so_far;
    for (int64_t e = graph->row[left]; e < graph->row[left + 1]; e++) {
        if (taken & 1u << graph->right[e])
            continue;
        int64_t weight = graph->weight[e] < so_far ? graph->weight[e] : so_far;
        int64_t found = best_bottleneck(graph, left + 1, taken | 1u << graph->right[e], weight);
        best = found > best ? found : best;
    }
    return best;
}

START_TEST(heavy_is_heaviest)
{
    for (int seed = 0, tried = 0; tried < 60; seed++) {
        struct topo_matrix *matrix = seeded_matrix(seed);
        struct topo_regular *graph = NULL;
        struct topo_matching matching;
        if (matrix->messages == 0 || matrix->senders + matrix->receivers > 9) {
            topo_matrix_free(matrix);
            continue;
        }
        tried++;
        ck_assert_int_eq(topo_regular_new(matrix, 1 + seed % 4, 1, &graph, NULL), TOPO_OK);
        ck_assert_int_le(graph->side, 24);
        for (int l = 0; l < graph->side; l++) {
            int64_t sum = 0;
            for (int64_t e = graph->row[l]; e < graph->row[l + 1]; e++)
                sum += graph->weight[e];
            ck_assert_msg(sum == graph->phi, "seed %d: vertex %d has weight phi", seed, l);
        }
        int64_t best = best_bottleneck(graph, 0, 0, INT64_MAX);
        ck_assert(topo_matching_start(&matching, graph));
        ck_assert_msg(topo_matching_find(&matching, true) == best, "seed %d: the lightest edge weighs %lld", seed,
                      (long long)best);
        topo_matching_free(&matching);
        topo_regular_free(graph);
        topo_matrix_free(matrix);
    }
}
END_TEST

START_TEST(refuses)
{
    struct topo_matrix *matrix = digit_matrix("12 34");
    struct topo_schedule *schedule;
    struct topo_ggp no_k = {0, 1, false}, no_unit = {1, 0, false}, all = {2, 1, false}, coarse = {2, 1024, false};
    struct topo_error error = {""};
    ck_assert_int_eq(topo_schedule_ggp(matrix, &no_k, &schedule, NULL, &error), TOPO_INVALID);
    ck_assert_int_eq(topo_schedule_ggp(matrix, &no_unit, &schedule, NULL, &error), TOPO_INVALID);
    topo_matrix_free(matrix);
    static const int64_t large[] = {INT64_MAX - 10, 1, 1, 1};
    matrix = dense_matrix(2, 2, large);
    ck_assert_msg(topo_schedule_ggp(matrix, &all, &schedule, NULL, &error) == TOPO_INVALID &&
                      strstr(error.text, "unit"),
                  "phi * k overflows, and the message says what helps: %s", error.text);
    ck_assert_int_eq(topo_schedule_ggp(matrix, &coarse, &schedule, NULL, &error), TOPO_OK);
    right(schedule, matrix, TOPO_RULE_MATCHING, "ggp", -1);
    topo_schedule_free(schedule);
    topo_matrix_free(matrix);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_matrix *matrix = seeded_matrix(34);
    static const struct topo_ggp ggp = {3, 1, true};
    struct topo_schedule *schedule = NULL;
    UNIT_OUT_OF_MEMORY(topo_schedule_ggp(matrix, &ggp, &schedule, NULL, NULL),
                       ck_assert((status == TOPO_OK) == (schedule != NULL));
                       topo_schedule_free(schedule));
    topo_matrix_free(matrix);
}
END_TEST

UNIT_MAIN("ggp", {seeds}, {by_hand}, {heavy_is_heaviest}, {refuses}, {out_of_memory})
