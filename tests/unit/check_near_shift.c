#include "schedule.h"

#include "schedule/css.h"
#include "schedule/near_shift.h"
#include "schedule/redistribute.h"

/* A plain redistribution on as many senders as receivers; *periods of it become its length. */
static struct topo_matrix *array_of(uint64_t seed, int tenths)
{
    uint64_t state = seed;
    struct topo_redistribution r = {.x = 1 + (int64_t)topo_random_below(&state, 12),
                                    .y = 1 + (int64_t)topo_random_below(&state, 12),
                                    .a1 = 1,
                                    .a2 = 1};
    struct topo_redistribution_facts facts;
    struct topo_matrix *matrix = NULL;
    r.np = r.nq = 2 + (int)topo_random_below(&state, 23);
    ck_assert_int_eq(topo_redistribution_facts(&r, &facts, NULL), TOPO_OK);
    r.length = tenths * facts.iterations / 10;
    ck_assert_int_eq(topo_redistribution_matrix(&r, &matrix, NULL), TOPO_OK);
    return matrix;
}

/* Weights of the orbits by (m, n) at random, and something more for some pairs. */
static void fill(struct topo_dense *dense, struct topo_shift shift, uint64_t seed, int64_t *added)
{
    uint64_t state = seed;
    int cells = dense->rows * dense->columns;
    for (int cell = 0; cell < cells; cell++)
        dense->cell[cell] = -1;
    for (int cell = 0; cell < cells; cell++) {
        int64_t weight = (int64_t)topo_random_below(&state, 5) * 100;
        for (int i = cell / dense->columns, j = cell % dense->columns; dense->cell[i * dense->columns + j] < 0;
             i = (i + shift.m) % dense->rows, j = (j + shift.n) % dense->columns)
            dense->cell[i * dense->columns + j] = weight;
    }
    for (*added = 0; *added < cells / 8; ++*added)
        dense->cell[topo_random_below(&state, (uint64_t)cells)]++;
}

/* The remainder and the base against every orbit followed pair by pair. */
START_TEST(base)
{
    for (int seed = 0; seed < 300; seed++) {
        uint64_t state = seed;
        struct topo_matrix *empty = NULL, *repeating = NULL;
        struct topo_dense dense;
        int64_t beyond, slow = 0, added;
        int rows = 1 + (int)topo_random_below(&state, 12), columns = 1 + (int)topo_random_below(&state, 12);
        struct topo_shift shift = {(int)topo_random_below(&state, (uint64_t)rows),
                                   (int)topo_random_below(&state, (uint64_t)columns)};
        ck_assert_int_eq(topo_matrix_new(rows, columns, NULL, 0, &empty, NULL), TOPO_OK);
        ck_assert(topo_dense_of(empty, false, &dense));
        fill(&dense, shift, seed, &added);
        ck_assert_int_eq(topo_near_base(&dense, shift, &repeating, &beyond, NULL), TOPO_OK);
        ck_assert_msg(topo_shift_holds(repeating, shift), "seed %d: the base repeats", seed);
        for (int cell = 0; cell < rows * columns; cell++) {
            int64_t here = dense.cell[cell], least = here;
            for (int k = 0, i = cell / columns, j = cell % columns; k < rows * columns; k++) {
                i = (i + shift.m) % rows;
                j = (j + shift.n) % columns;
                if (dense.cell[i * columns + j] < least)
                    least = dense.cell[i * columns + j];
            }
            slow += here - least;
            ck_assert_msg(topo_matrix_at(repeating, cell / columns, cell % columns) >= here,
                          "seed %d: every message fits into its base", seed);
        }
        ck_assert_msg(beyond == slow && beyond <= added, "seed %d: %lld beyond, not %lld", seed, (long long)beyond,
                      (long long)slow);
        topo_matrix_free(repeating);
        topo_matrix_free(empty);
        topo_dense_free(&dense);
    }
}
END_TEST

/* No shift (1, n) has shorter steps, and none changes a table less, by trying them all. */
START_TEST(nearest)
{
    for (int seed = 0; seed < 200; seed++) {
        struct topo_matrix *matrix = seed % 2 ? array_of(seed, 43) : seeded_matrix(seed);
        struct topo_dense dense;
        struct topo_shift single, shift;
        bool memory;
        ck_assert(topo_dense_of(matrix, false, &dense));
        int64_t least = INT64_MAX, found = 0, *longest = malloc((size_t)dense.columns * sizeof *longest);
        bool any = topo_near_single(&dense, &single, &memory);
        for (int n = 0; n < dense.columns; n++) {
            int64_t sum = 0;
            if (!topo_shift_is_single(matrix, (struct topo_shift){1 % dense.rows, n}))
                continue;
            memset(longest, 0, (size_t)dense.columns * sizeof *longest);
            for (int64_t e = 0; e < matrix->messages; e++) {
                int64_t step = (matrix->receiver[e] + (int64_t)(dense.columns - n) * matrix->sender[e]) % dense.columns;
                longest[step] = matrix->weight[e] > longest[step] ? matrix->weight[e] : longest[step];
            }
            for (int t = 0; t < dense.columns; t++)
                sum += longest[t];
            least = sum < least ? sum : least;
            found = any && n == single.n ? sum : found;
        }
        ck_assert_msg(memory && any == (least < INT64_MAX) && (!any || found == least), "seed %d: %lld, not %lld", seed,
                      (long long)found, (long long)least);
        shift = topo_near_shift(&dense);
        int64_t change_least = INT64_MAX, change_found = INT64_MAX;
        for (int m = 0; m < dense.rows; m++)
            for (int n = 0; n < dense.columns && dense.rows % (m ? m : 1) == 0; n++) {
                int64_t sum = 0;
                for (int cell = 0; cell < dense.rows * dense.columns; cell++)
                    sum += llabs(dense.cell[cell] - dense.cell[(cell / dense.columns + m) % dense.rows * dense.columns +
                                                               (cell % dense.columns + n) % dense.columns]);
                if (m || n)
                    change_least = sum < change_least ? sum : change_least;
                if ((m || n) && m == shift.m && n == shift.n)
                    change_found = sum;
            }
        ck_assert_msg(change_least == INT64_MAX || change_found <= change_least + change_least / 2,
                      "seed %d: (%d, %d) changes %lld, the least is %lld", seed, shift.m, shift.n,
                      (long long)change_found, (long long)change_least);
        free(longest);
        topo_dense_free(&dense);
        topo_matrix_free(matrix);
    }
}
END_TEST

/* Arrays of 10.3 periods: nearly all run by a recurrence, and their steps are shorter than drc's together. */
START_TEST(remainders)
{
    enum { ARRAYS = 60 };
    int forms[5] = {0};
    double css = 0, drc = 0;
    for (int seed = 0; seed < ARRAYS; seed++) {
        struct topo_matrix *matrix = array_of(seed, 103);
        struct topo_schedule_figures figures, other;
        struct topo_schedule *schedule = NULL;
        struct topo_css_result result;
        ck_assert_int_eq(topo_schedule_css(matrix, NULL, &schedule, &result, NULL), TOPO_OK);
        figures = right(schedule, matrix, result.form == TOPO_CSS_BLOCKS ? TOPO_RULE_RECEIVER : TOPO_RULE_MATCHING,
                        topo_css_form_text(result.form), seed);
        topo_schedule_free(schedule);
        ck_assert_int_eq(topo_schedule_drc(matrix, &schedule, NULL), TOPO_OK);
        other = right(schedule, matrix, TOPO_RULE_MATCHING, "drc", seed);
        topo_schedule_free(schedule);
        ck_assert_msg(figures.duration <= other.duration, "seed %d: nothing longer than drc runs", seed);
        forms[result.form]++;
        css += (double)figures.duration / (double)figures.bound / ARRAYS;
        drc += (double)other.duration / (double)other.bound / ARRAYS;
        topo_matrix_free(matrix);
    }
    printf(
        "# 10.3 periods: algorithm 1 %d, algorithm 2 %d, one length a step %d, drc %d; duration over the bound %.3f, "
        "by drc %.3f\n",
        forms[TOPO_CSS_ROWS] + forms[TOPO_CSS_COLUMNS], forms[TOPO_CSS_BLOCKS], forms[TOPO_CSS_LENGTHS],
        forms[TOPO_CSS_GENERAL], css, drc);
    ck_assert_msg(forms[TOPO_CSS_GENERAL] <= ARRAYS / 6 && css < drc - 0.05, "the recurrence pays");
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_matrix *matrix = digit_matrix("96444 56664 64446 46644 44466"), *repeating = NULL;
    struct topo_dense dense;
    int64_t beyond;
    ck_assert(topo_dense_of(matrix, true, &dense));
    UNIT_OUT_OF_MEMORY(topo_near_base(&dense, (struct topo_shift){2, 1}, &repeating, &beyond, NULL),
                       ck_assert((status == TOPO_OK) == (repeating != NULL));
                       topo_matrix_free(repeating));
    topo_dense_free(&dense);
    topo_matrix_free(matrix);
}
END_TEST

UNIT_MAIN("near_shift", {base}, {nearest}, {remainders}, {out_of_memory})
