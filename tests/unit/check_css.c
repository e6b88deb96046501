#include "schedule.h"

#include "schedule/css.h"
#include "schedule/redistribute.h"

/* Runs css and checks what its form promises. */
static struct topo_css_result run(const struct topo_matrix *matrix, const struct topo_shift *shift, int seed,
                                  struct topo_schedule_figures *figures)
{
    struct topo_schedule *schedule = NULL;
    struct topo_css_result result;
    struct topo_error error = {""};
    ck_assert_msg(topo_schedule_css(matrix, shift, &schedule, &result, &error) == TOPO_OK, "seed %d: %s", seed,
                  error.text);
    bool single = result.form == TOPO_CSS_ROWS || result.form == TOPO_CSS_COLUMNS;
    *figures = right(schedule, matrix, result.form == TOPO_CSS_BLOCKS ? TOPO_RULE_RECEIVER : TOPO_RULE_MATCHING,
                     topo_css_form_text(result.form), seed);
    ck_assert_msg(!figures->conflicts, "seed %d: no conflicts", seed);
    ck_assert_msg(!single || figures->uneven == 0 || result.beyond > 0, "seed %d: algorithm 1 sends one length a step", seed);
    topo_schedule_free(schedule);
    return result;
}

START_TEST(seeds)
{
    int forms[5] = {0};
    double worst = 0;
    for (int seed = 0; seed < 2 * SEEDS; seed++) {
        int m, n;
        struct topo_matrix *matrix = seed < SEEDS ? seeded_matrix(seed) : repeating_matrix(seed, &m, &n);
        struct topo_shift shift = {seed < SEEDS ? 1 : m, seed < SEEDS ? 1 : n};
        struct topo_schedule_figures figures;
        struct topo_css_result result = run(matrix, seed % 4 < 2 ? &shift : NULL, seed, &figures);
        ck_assert_msg(!result.given || (result.shift.m == shift.m && result.shift.n == shift.n),
                      "seed %d: a given shift that holds is used", seed);
        forms[result.form]++;
        if (result.form == TOPO_CSS_BLOCKS && (double)figures.duration / (double)figures.bound > worst)
            worst = (double)figures.duration / (double)figures.bound;
        topo_matrix_free(matrix);
    }
    printf("# %d seeds: algorithm 1 %d, exchanged %d, algorithm 2 %d (duration within %.2f of the bound), "
           "one length a step %d, drc %d\n",
           2 * SEEDS, forms[0], forms[1], forms[2], worst, forms[3], forms[4]);
    for (int form = 0; form < 5; form++)
        ck_assert_msg(forms[form] > 10, "%s is tried", topo_css_form_text(form));
}
END_TEST

static struct topo_matrix *golden(const char *text, const char *access, struct topo_shift *shift)
{
    struct topo_redistribution r;
    struct topo_redistribution_facts facts;
    struct topo_matrix *matrix = NULL;
    ck_assert_int_eq(topo_redistribution_parse(text, &r, NULL), TOPO_OK);
    ck_assert_int_eq(topo_redistribution_access(access, &r, NULL), TOPO_OK);
    ck_assert_int_eq(topo_redistribution_facts(&r, &facts, NULL), TOPO_OK);
    ck_assert_int_eq(topo_redistribution_matrix(&r, &matrix, NULL), TOPO_OK);
    *shift = topo_redistribution_shift(&r, &facts);
    return matrix;
}

START_TEST(golden_tables)
{
    static const struct {
        const char *text, *access;
        enum topo_css_form form;
        int steps;
    } goldens[] = {{"cyclic(3)@5 -> cyclic(4)@5", "3,4,2,1", TOPO_CSS_ROWS, 5},
                   {"cyclic(3)@5 -> cyclic(4)@5", "1,0,1,0", TOPO_CSS_ROWS, 5},
                   {"cyclic(5)@3 -> cyclic(4)@9", "3,4,2,1", TOPO_CSS_ROWS, 9},
                   {"cyclic(2)@6 -> cyclic(3)@6", "2,1,3,4", TOPO_CSS_BLOCKS, 5}};
    for (int k = 0; k < 4; k++)
        for (int given = 0; given < 2; given++) {
            struct topo_shift shift;
            struct topo_schedule_figures figures;
            struct topo_matrix *matrix = golden(goldens[k].text, goldens[k].access, &shift);
            struct topo_css_result result = run(matrix, given ? &shift : NULL, k, &figures);
            ck_assert_msg(result.form == goldens[k].form, "table %d by %s, not by %s", k,
                          topo_css_form_text(goldens[k].form), topo_css_form_text(result.form));
            ck_assert_msg(figures.steps == goldens[k].steps, "table %d takes %d steps, not %d", k, goldens[k].steps,
                          figures.steps);
            ck_assert_msg(k == 3 || figures.duration == figures.bound, "table %d by algorithm 1 is as short as can be",
                          k);
            ck_assert_msg(k != 3 || figures.duration == 10, "table 3: five steps of 2, not %d altogether",
                          (int)figures.duration);
            topo_matrix_free(matrix);
        }
}
END_TEST

START_TEST(as_printed)
{
    /* As Wang et al. print it: CS[1] = <0, 3, 1, 4, 2> and so on, row 0 being 0 1 2 3 4. */
    static const int cs[5][5] = {{0, 1, 2, 3, 4}, {3, 4, 0, 1, 2}, {1, 2, 3, 4, 0}, {4, 0, 1, 2, 3}, {2, 3, 4, 0, 1}};
    struct topo_shift shift;
    struct topo_schedule *schedule = NULL;
    struct topo_matrix *matrix = golden("cyclic(3)@5 -> cyclic(4)@5", "3,4,2,1", &shift);
    ck_assert_int_eq(topo_schedule_css(matrix, &shift, &schedule, NULL, NULL), TOPO_OK);
    for (int t = 0; t < 5; t++)
        for (int i = 0; i < 5; i++) {
            const struct topo_piece *piece = &schedule->piece[schedule->first[t] + i];
            ck_assert_msg(piece->sender == i && piece->receiver == cs[i][t], "CS(%d, %d) = %d, not %d", i, t + 1,
                          cs[i][t], piece->receiver);
        }
    topo_schedule_free(schedule);
    topo_matrix_free(matrix);
}
END_TEST

START_TEST(one_length_a_step)
{
    /* Whole periods where every processor has its share of each length: W in the fewest steps. */
    static const char *const texts[] = {"cyclic(2)@64 -> cyclic(3)@64", "cyclic(5)@100 -> cyclic(70)@100"};
    for (int k = 0; k < 2; k++) {
        struct topo_shift shift;
        struct topo_schedule_figures figures;
        struct topo_matrix_facts facts;
        struct topo_matrix *matrix = golden(texts[k], "1,0,1,0", &shift);
        topo_matrix_facts(matrix, &facts);
        struct topo_css_result result = run(matrix, &shift, k, &figures);
        ck_assert_msg(result.form == TOPO_CSS_LENGTHS, "%s: %s", texts[k], topo_css_form_text(result.form));
        ck_assert_msg(figures.duration == figures.bound && figures.steps == facts.degree && !figures.uneven,
                      "%s: duration %lld of %lld in %d of %d steps", texts[k], (long long)figures.duration,
                      (long long)figures.bound, figures.steps, facts.degree);
        topo_matrix_free(matrix);
    }
}
END_TEST

START_TEST(redistributions)
{
    /* Every plain redistribution of few processes: given or found, whole periods or not. */
    for (int seed = 0; seed < 400; seed++) {
        uint64_t state = seed;
        struct topo_redistribution r = {.x = 1 + (int64_t)topo_random_below(&state, 7),
                                        .y = 1 + (int64_t)topo_random_below(&state, 7),
                                        .np = 1 + (int)topo_random_below(&state, 12),
                                        .nq = 1 + (int)topo_random_below(&state, 12),
                                        .a1 = 1 + (int64_t)topo_random_below(&state, 3),
                                        .a2 = 1 + (int64_t)topo_random_below(&state, 3),
                                        .length = seed % 2 ? 1 + (int64_t)topo_random_below(&state, 5000) : 0};
        struct topo_redistribution_facts facts;
        struct topo_schedule_figures figures;
        struct topo_matrix *matrix = NULL;
        ck_assert_int_eq(topo_redistribution_facts(&r, &facts, NULL), TOPO_OK);
        ck_assert_int_eq(topo_redistribution_matrix(&r, &matrix, NULL), TOPO_OK);
        struct topo_shift shift = topo_redistribution_shift(&r, &facts);
        struct topo_css_result result = run(matrix, &shift, seed, &figures);
        ck_assert_msg(seed % 2 || result.form != TOPO_CSS_GENERAL || (!shift.m && !shift.n),
                      "seed %d: whole periods have the recurrence", seed);
        run(matrix, NULL, seed, &figures);
        topo_matrix_free(matrix);
    }
}
END_TEST

START_TEST(out_of_memory)
{
    static const char *const tables[] = {"22332 33222 22233 23322 32223", "12 12 21 21",
                                         "121212 000000 121212 121212 000000 121212", "120 301 111",
                                         "10011001 11000110 01100011 00110001"};
    for (int k = 0; k < 5; k++) {
        struct topo_matrix *matrix = digit_matrix(tables[k]);
        struct topo_schedule *schedule = NULL;
        UNIT_OUT_OF_MEMORY(topo_schedule_css(matrix, NULL, &schedule, NULL, NULL),
                           ck_assert((status == TOPO_OK) == (schedule != NULL));
                           topo_schedule_free(schedule));
        topo_matrix_free(matrix);
    }
}
END_TEST

UNIT_MAIN("css", {seeds}, {golden_tables}, {as_printed}, {one_length_a_step}, {redistributions}, {out_of_memory})
