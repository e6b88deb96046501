#include "schedule.h"

#include "schedule/blocks.h"

/* What algorithm 2 promises of its steps: every message in one, a receiver once, no sender above the largest message.
 * The sum of the steps' largest totals. */
static int64_t in_steps(const struct topo_matrix *matrix, const int *step_of, int steps, bool below_largest, int seed)
{
    int64_t duration = 0;
    for (int step = 0; step < steps; step++) {
        int64_t load[64] = {0}, largest = 0, most = 0;
        bool receives[64] = {false};
        for (int64_t e = 0; e < matrix->messages; e++) {
            if (step_of[e] != step)
                continue;
            ck_assert_msg(!receives[matrix->receiver[e]], "seed %d: one message a receiver and step", seed);
            receives[matrix->receiver[e]] = true;
            load[matrix->sender[e]] += matrix->weight[e];
            largest = matrix->weight[e] > largest ? matrix->weight[e] : largest;
        }
        for (int i = 0; i < matrix->senders; i++)
            most = load[i] > most ? load[i] : most;
        ck_assert_msg(most > 0, "seed %d: step %d has a message", seed, step);
        ck_assert_msg(!below_largest || most == largest, "seed %d: step %d takes as long as its largest message", seed,
                      step);
        duration += most;
    }
    for (int64_t e = 0; e < matrix->messages; e++)
        ck_assert(step_of[e] >= 0 && step_of[e] < steps);
    return duration;
}

START_TEST(algorithm_2)
{
    int eliminated = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        struct topo_shift shift;
        struct topo_matrix *matrix = repeating_matrix((uint64_t)seed, &shift.m, &shift.n);
        int *step_of = calloc((size_t)matrix->messages + 1, sizeof *step_of), steps, before;
        ck_assert(topo_css_blocks(matrix, shift, step_of, &steps));
        int64_t duration = in_steps(matrix, step_of, steps, true, seed);
        before = steps;
        ck_assert(topo_css_eliminate_step(matrix, step_of, &steps));
        ck_assert_msg(in_steps(matrix, step_of, steps, false, seed) <= duration && steps <= before,
                      "seed %d: dissolving steps makes nothing worse", seed);
        eliminated += before - steps;
        topo_matrix_free(matrix);
        free(step_of);
    }
    ck_assert_msg(eliminated > 0, "steps are eliminated");
}
END_TEST

START_TEST(lengths_are_coloured_exactly)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        struct topo_matrix *matrix = seeded_matrix(seed);
        struct topo_css_lengths cost;
        struct topo_schedule *schedule = NULL;
        int *step_of = calloc((size_t)matrix->messages + 1, sizeof *step_of), steps;
        ck_assert(topo_css_lengths_cost(matrix, &cost) && topo_css_lengths(matrix, step_of, &steps));
        ck_assert_int_eq(topo_schedule_whole(matrix, step_of, steps, &schedule, NULL), TOPO_OK);
        struct topo_schedule_figures figures = right(schedule, matrix, TOPO_RULE_MATCHING, "lengths", seed);
        ck_assert_msg(figures.steps == cost.steps && figures.duration == cost.duration && !figures.uneven,
                      "seed %d: %d steps and %lld as foreseen, not %d and %lld", seed, cost.steps,
                      (long long)cost.duration, figures.steps, (long long)figures.duration);
        topo_schedule_free(schedule);
        topo_matrix_free(matrix);
        free(step_of);
    }
}
END_TEST

UNIT_MAIN("blocks", {algorithm_2}, {lengths_are_coloured_exactly})
