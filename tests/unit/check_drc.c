#include "schedule.h"

#include <string.h>

typedef enum topo_status scheduler(const struct topo_matrix *, struct topo_schedule **, struct topo_error *);

static struct topo_schedule *make(scheduler *run, const struct topo_matrix *matrix)
{
    struct topo_schedule *schedule = NULL;
    struct topo_error error = {""};
    ck_assert_msg(run(matrix, &schedule, &error) == TOPO_OK, "%s", error.text);
    return schedule;
}

static int diagonal(const struct topo_matrix *matrix, int64_t e)
{
    int side = matrix->senders > matrix->receivers ? matrix->senders : matrix->receivers;
    return (matrix->receiver[e] - matrix->sender[e] + side) % side;
}

/* Is message a before message b in the list of Schedule 2, with our order of equal weights? */
static bool before(const struct topo_matrix *matrix, int64_t a, int64_t b)
{
    if (matrix->weight[a] != matrix->weight[b])
        return matrix->weight[a] > matrix->weight[b];
    if (diagonal(matrix, a) != diagonal(matrix, b))
        return diagonal(matrix, a) < diagonal(matrix, b);
    return a < b;
}

/* sDRC word by word: the list is walked once per step. left_after[t] = degree after step t. */
static int walk_the_list(const struct topo_matrix *matrix, int *step_of, int *left_after)
{
    int64_t count = matrix->messages, *list = calloc((size_t)count + 1, sizeof *list), left = count;
    int steps = 0;
    for (int64_t e = 0; e < count; e++) {
        int64_t at = e;
        for (; at > 0 && before(matrix, e, list[at - 1]); at--)
            list[at] = list[at - 1];
        list[at] = e;
        step_of[e] = -1;
    }
    for (; left > 0; steps++) {
        int sends[64] = {0}, receives[64] = {0}, left_sends[64] = {0}, left_receives[64] = {0};
        left_after[steps] = 0;
        for (int64_t k = 0; k < count; k++) {
            int64_t e = list[k];
            int i = matrix->sender[e], j = matrix->receiver[e];
            if (step_of[e] >= 0)
                continue;
            if (!sends[i] && !receives[j]) {
                sends[i] = receives[j] = 1;
                step_of[e] = steps;
                left--;
                continue;
            }
            left_sends[i]++;
            left_receives[j]++;
            if (left_sends[i] > left_after[steps])
                left_after[steps] = left_sends[i];
            if (left_receives[j] > left_after[steps])
                left_after[steps] = left_receives[j];
        }
    }
    free(list);
    return steps;
}

static int step_of_pair(const struct topo_schedule *schedule, int i, int j)
{
    for (int t = 0; t < schedule->steps; t++)
        for (int64_t p = schedule->first[t]; p < schedule->first[t + 1]; p++)
            if (schedule->piece[p].sender == i && schedule->piece[p].receiver == j)
                return t;
    return -1;
}

START_TEST(as_the_document_says)
{
    for (int seed = 0; seed < 150; seed++) {
        struct topo_matrix *matrix = seeded_matrix(seed);
        struct topo_matrix_facts facts;
        int *step_of = calloc((size_t)matrix->messages + 1, sizeof *step_of);
        int *left_after = calloc((size_t)matrix->messages + 1, sizeof *left_after);
        int steps = walk_the_list(matrix, step_of, left_after), reduced = 0;
        struct topo_schedule *sdrc = make(topo_schedule_sdrc, matrix), *drc = make(topo_schedule_drc, matrix);
        topo_matrix_facts(matrix, &facts);
        ck_assert_msg(sdrc->steps == steps, "seed %d: the published walk takes %d steps, sdrc %d", seed, steps,
                      sdrc->steps);
        for (int left = facts.degree; left > 2; left = left_after[reduced - 1])
            reduced++;
        for (int64_t e = 0; e < matrix->messages; e++) {
            int i = matrix->sender[e], j = matrix->receiver[e], in_drc = step_of_pair(drc, i, j);
            ck_assert_msg(step_of_pair(sdrc, i, j) == step_of[e], "seed %d: message %d-%d in step %d", seed, i, j,
                          step_of[e]);
            if (step_of[e] < reduced)
                ck_assert_msg(in_drc == step_of[e], "seed %d: drc is sdrc while the degree is above 2", seed);
            else
                ck_assert_msg(in_drc >= reduced && in_drc < reduced + 2, "seed %d: the rest takes two steps", seed);
        }
        topo_schedule_free(sdrc);
        topo_schedule_free(drc);
        topo_matrix_free(matrix);
        free(step_of);
        free(left_after);
    }
}
END_TEST

START_TEST(heaviest_first_in_colouring)
{
    /* One cycle of six messages: the heaviest one's colour is the earlier step. */
    struct topo_matrix *matrix = digit_matrix("120 034 506");
    struct topo_schedule *drc = make(topo_schedule_drc, matrix);
    right(drc, matrix, TOPO_RULE_MATCHING, "drc", 0);
    ck_assert_int_eq(drc->steps, 2);
    ck_assert(step_of_pair(drc, 2, 2) == 0 && step_of_pair(drc, 0, 0) == 0 && step_of_pair(drc, 1, 1) == 0);
    ck_assert(step_of_pair(drc, 2, 0) == 1 && step_of_pair(drc, 0, 1) == 1 && step_of_pair(drc, 1, 2) == 1);
    topo_schedule_free(drc);
    topo_matrix_free(matrix);
}
END_TEST

START_TEST(seeds)
{
    double worst[2] = {0, 0};
    for (int seed = 0; seed < SEEDS; seed++) {
        struct topo_matrix *matrix = seeded_matrix(seed);
        static scheduler *const runs[] = {topo_schedule_sdrc, topo_schedule_drc};
        static const char *const names[] = {"sdrc", "drc"};
        for (int k = 0; k < 2; k++) {
            struct topo_schedule *schedule = make(runs[k], matrix);
            struct topo_schedule_figures figures = right(schedule, matrix, TOPO_RULE_MATCHING, names[k], seed);
            ck_assert_msg(figures.duration <= 2 * figures.bound, "%s, seed %d: %lld is within twice the bound %lld",
                          names[k], seed, (long long)figures.duration, (long long)figures.bound);
            if (figures.bound && (double)figures.duration / (double)figures.bound > worst[k])
                worst[k] = (double)figures.duration / (double)figures.bound;
            topo_schedule_free(schedule);
        }
        topo_matrix_free(matrix);
    }
    printf("# worst duration / bound of %d seeds: sdrc %.3f, drc %.3f\n", SEEDS, worst[0], worst[1]);
}
END_TEST

START_TEST(equal_messages_take_the_fewest_steps)
{
    for (int n = 1; n <= 33; n++) {
        int64_t weights[33 * 33];
        for (int cell = 0; cell < n * n; cell++)
            weights[cell] = 8;
        struct topo_matrix *matrix = dense_matrix(n, n, weights);
        struct topo_schedule *schedule = make(topo_schedule_sdrc, matrix);
        ck_assert_msg(right(schedule, matrix, TOPO_RULE_MATCHING, "sdrc", n).steps == n,
                      "a full exchange of %d takes %d steps, not %d", n, n, schedule->steps);
        topo_schedule_free(schedule);
        topo_matrix_free(matrix);
    }
}
END_TEST

START_TEST(direct)
{
    for (int seed = 0; seed < 100; seed++) {
        struct topo_matrix *matrix = seeded_matrix(seed);
        struct topo_schedule *schedule = make(topo_schedule_direct, matrix);
        bool free_of = matrix->senders <= matrix->receivers;
        right(schedule, matrix, free_of ? TOPO_RULE_MATCHING : TOPO_RULE_NONE, "direct", seed);
        topo_schedule_free(schedule);
        topo_matrix_free(matrix);
    }
    struct topo_matrix *matrix = digit_matrix("11 11 11"); /* senders 0 and 2 meet at both receivers */
    struct topo_schedule *schedule = make(topo_schedule_direct, matrix);
    ck_assert_int_eq(right(schedule, matrix, TOPO_RULE_NONE, "direct", 0).conflicts, 2);
    topo_schedule_free(schedule);
    topo_matrix_free(matrix);
}
END_TEST

static enum topo_status make_all(const struct topo_matrix *matrix)
{
    static scheduler *const runs[] = {topo_schedule_direct, topo_schedule_sdrc, topo_schedule_drc};
    for (int k = 0; k < 3; k++) {
        struct topo_schedule *schedule = NULL;
        struct topo_schedule_figures figures;
        enum topo_status status = runs[k](matrix, &schedule, NULL);
        ck_assert_msg((status == TOPO_OK) == (schedule != NULL), "a schedule exactly when it is well");
        if (status == TOPO_OK)
            status = topo_schedule_check(schedule, matrix, TOPO_RULE_MATCHING, NULL);
        if (status == TOPO_OK)
            status = topo_schedule_figures(schedule, matrix, &figures, NULL);
        topo_schedule_free(schedule);
        if (status != TOPO_OK)
            return status;
    }
    return TOPO_OK;
}

START_TEST(out_of_memory)
{
    struct topo_matrix *matrix = seeded_matrix(34);
    UNIT_OUT_OF_MEMORY(make_all(matrix));
    topo_matrix_free(matrix);
}
END_TEST

UNIT_MAIN("drc", {as_the_document_says}, {heaviest_first_in_colouring}, {seeds}, {equal_messages_take_the_fewest_steps},
          {direct}, {out_of_memory})
