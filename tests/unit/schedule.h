/* What the tests of schedule/ share: the fixed seeds. */
#ifndef TOPO_TESTS_SCHEDULE_H
#define TOPO_TESTS_SCHEDULE_H

#include "unit.h"

#include <string.h>

#include "base/memory.h"
#include "schedule/random.h"
#include "schedule/schedule.h"

enum { SEEDS = 1000 };

/* Matrix `seed` of the fixed ones: 1 to 40 senders and receivers, not always as
 * many, from sparse to full, weights equal, uniform, or a few heavy ones among
 * many light ones; empty rows and columns, the empty matrix too. */
static inline struct topo_matrix *seeded_matrix(uint64_t seed)
{
    static const int64_t spans[] = {1, 9, 1 << 20};
    uint64_t state = seed;
    int senders = 1 + (int)topo_random_below(&state, 40), receivers = senders;
    if (seed % 3 == 0)
        receivers = 1 + (int)topo_random_below(&state, 40);
    int64_t cells = (int64_t)senders * receivers, span = spans[seed % 4 % 3], *weights;
    uint64_t fill = topo_random_below(&state, 101); /* per cent of the pairs */
    bool skewed = seed % 4 == 3;
    struct topo_matrix *matrix = NULL;
    struct topo_error error = {""};
    weights = calloc((size_t)cells, sizeof *weights);
    for (int64_t cell = 0; cell < cells; cell++)
        if (topo_random_below(&state, 100) < fill) {
            weights[cell] = 1 + (int64_t)topo_random_below(&state, (uint64_t)span);
            if (skewed && topo_random_below(&state, 10) == 0)
                weights[cell] *= 1000;
        }
    ck_assert_msg(topo_matrix_dense(senders, receivers, weights, &matrix, &error) == TOPO_OK, "seed %d: %s", (int)seed,
                  error.text);
    free(weights);
    return matrix;
}

static inline struct topo_matrix *dense_matrix(int senders, int receivers, const int64_t *weights)
{
    struct topo_matrix *matrix = NULL;
    struct topo_error error = {""};
    ck_assert_msg(topo_matrix_dense(senders, receivers, weights, &matrix, &error) == TOPO_OK, "%s", error.text);
    return matrix;
}

/* A matrix from digits, rows apart by blanks: "22332 33222 ...". */
static inline struct topo_matrix *digit_matrix(const char *rows)
{
    int64_t weights[1024];
    int senders = 1, cells = 0;
    for (; *rows; rows++)
        if (*rows == ' ')
            senders++;
        else
            weights[cells++] = *rows - '0';
    return dense_matrix(senders, cells / senders, weights);
}

/* A table that repeats by (m, n): every orbit of pairs has one random weight, often 0. */
static inline struct topo_matrix *repeating_matrix(uint64_t seed, int *m, int *n)
{
    uint64_t state = seed;
    int senders = 1 + (int)topo_random_below(&state, 16), receivers = 1 + (int)topo_random_below(&state, 16);
    if (seed % 2)
        receivers = senders;
    int64_t weights[16 * 16];
    uint64_t span = seed % 3 ? 4 : 100;
    *m = (int)topo_random_below(&state, (uint64_t)senders);
    *n = (int)topo_random_below(&state, (uint64_t)receivers);
    memset(weights, 0xff, sizeof weights);
    for (int cell = 0; cell < senders * receivers; cell++) {
        int64_t weight = (int64_t)topo_random_below(&state, span);
        for (int i = cell / receivers, j = cell % receivers; weights[i * receivers + j] < 0;
             i = (i + *m) % senders, j = (j + *n) % receivers)
            weights[i * receivers + j] = weight;
    }
    return dense_matrix(senders, receivers, weights);
}

/* Right for the matrix by `rule`; returns its figures. */
static inline struct topo_schedule_figures right(const struct topo_schedule *schedule, const struct topo_matrix *matrix,
                                                 enum topo_schedule_rule rule, const char *name, int seed)
{
    struct topo_schedule_figures figures;
    struct topo_error error = {""};
    ck_assert_msg(topo_schedule_check(schedule, matrix, rule, &error) == TOPO_OK, "%s, seed %d: %s", name, seed,
                  error.text);
    ck_assert_int_eq(topo_schedule_figures(schedule, matrix, &figures, &error), TOPO_OK);
    if (rule == TOPO_RULE_MATCHING) {
        struct topo_matrix_facts facts;
        topo_matrix_facts(matrix, &facts);
        ck_assert_msg(figures.duration >= figures.bound && figures.steps >= facts.degree && !figures.conflicts,
                      "%s, seed %d: not below the bounds, no conflicts", name, seed);
    }
    return figures;
}

#endif
