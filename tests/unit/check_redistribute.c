#include "schedule.h"

#include <string.h>

#include "schedule/redistribute.h"

/* The tables of docs/REFERENCES.md, Redistribution 6. */
static const struct golden {
    const char *text, *access, *com;
    int64_t length, period_a, period_s, address, m, n;
    int s, t;
} goldens[] = {
    {"cyclic(3)@5 -> cyclic(4)@5", "3,4,2,1", "22332 33222 22233 23322 32223", 60, 20, 120, 24, 8, 9, 5, 5},
    {"cyclic(3)@5->cyclic(4)@5", "1,0,1,0", "33222 22332 32223 23322 22233", 60, 20, 60, 12, 4, 3, 5, 5},
    {"cyclic(5)@3 -> cyclic(4)@9", "3,4,2,1", "141232232 232141232 232232141", 60, 12, 120, 40, 8, 15, 3, 3},
    {"cyclic(2)@6 -> cyclic(3)@6", "2,1,3,4", "121212 000000 121212 121212 000000 121212", 36, 9, 108, 18, 9, 4, 2, 3},
};

static struct topo_redistribution read_golden(const struct golden *golden)
{
    struct topo_redistribution r;
    struct topo_error error = {""};
    ck_assert_msg(topo_redistribution_parse(golden->text, &r, &error) == TOPO_OK, "%s", error.text);
    ck_assert_msg(topo_redistribution_access(golden->access, &r, &error) == TOPO_OK, "%s", error.text);
    r.length = golden->length;
    return r;
}

static struct topo_matrix *com_of(const struct topo_redistribution *r)
{
    struct topo_matrix *matrix = NULL;
    struct topo_error error = {""};
    ck_assert_msg(topo_redistribution_matrix(r, &matrix, &error) == TOPO_OK, "%s", error.text);
    return matrix;
}

/* COM element by element, from the definition. */
static struct topo_matrix *by_definition(const struct topo_redistribution *r, int64_t length)
{
    int64_t *com = calloc((size_t)r->nq * (size_t)r->np, sizeof *com);
    for (int64_t i = 0; i < length; i++)
        com[(r->a2 * i + r->b2) / r->y % r->nq * r->np + (r->a1 * i + r->b1) / r->x % r->np]++;
    struct topo_matrix *matrix = dense_matrix(r->nq, r->np, com);
    free(com);
    return matrix;
}

START_TEST(golden_tables)
{
    for (size_t k = 0; k < sizeof goldens / sizeof *goldens; k++) {
        struct topo_redistribution r = read_golden(&goldens[k]);
        struct topo_redistribution_facts facts;
        struct topo_matrix *matrix = com_of(&r), *expected = digit_matrix(goldens[k].com);
        ck_assert_msg(topo_matrix_equal(matrix, expected), "%s: COM is %s", goldens[k].text, goldens[k].com);
        ck_assert_int_eq(topo_redistribution_facts(&r, &facts, NULL), TOPO_OK);
        ck_assert_msg(facts.period_a == goldens[k].period_a && facts.period_s == goldens[k].period_s &&
                          facts.iterations == facts.period_s / r.a2,
                      "%s: periods %lld and %lld", goldens[k].text, (long long)facts.period_a,
                      (long long)facts.period_s);
        ck_assert_msg(facts.address == goldens[k].address && facts.m == goldens[k].m && facts.n == goldens[k].n &&
                          facts.s == goldens[k].s && facts.t == goldens[k].t,
                      "%s: M=%lld m=%lld n=%lld s=%d t=%d", goldens[k].text, (long long)facts.address,
                      (long long)facts.m, (long long)facts.n, facts.s, facts.t);
        ck_assert_msg(topo_shift_holds(matrix, topo_redistribution_shift(&r, &facts)), "%s: the recurrence holds",
                      goldens[k].text);
        topo_matrix_free(matrix);
        topo_matrix_free(expected);
    }
}
END_TEST

START_TEST(the_documents_third_table)
{
    /* Wang et al. print the rows of a2 = 4 beside a loop with a2 = 2. */
    struct topo_redistribution r = read_golden(&goldens[2]);
    struct topo_redistribution_facts facts;
    r.a2 = 4;
    ck_assert_int_eq(topo_redistribution_facts(&r, &facts, NULL), TOPO_OK);
    ck_assert(facts.period_s == 240 && facts.m == 16 && facts.n == 15);
    struct topo_matrix *matrix = com_of(&r), *expected = digit_matrix("232232141 232141232 141232232");
    ck_assert_msg(topo_matrix_equal(matrix, expected), "the published table is that of a2 = 4");
    topo_matrix_free(matrix);
    topo_matrix_free(expected);
}
END_TEST

static struct topo_redistribution random_redistribution(uint64_t seed)
{
    uint64_t state = seed;
    return (struct topo_redistribution){
        .x = 1 + (int64_t)topo_random_below(&state, 9),
        .y = 1 + (int64_t)topo_random_below(&state, 9),
        .np = 1 + (int)topo_random_below(&state, 9),
        .nq = 1 + (int)topo_random_below(&state, 9),
        .a1 = 1 + (int64_t)topo_random_below(&state, seed % 2 ? 5 : 1),
        .b1 = (int64_t)topo_random_below(&state, 30),
        .a2 = 1 + (int64_t)topo_random_below(&state, seed % 2 ? 5 : 1),
        .b2 = (int64_t)topo_random_below(&state, 30),
        .length = seed % 5 ? 1 + (int64_t)topo_random_below(&state, 20000) : 0,
    };
}

START_TEST(definition)
{
    for (int seed = 0; seed < 500; seed++) {
        struct topo_redistribution r = random_redistribution(seed), periods;
        struct topo_redistribution_facts facts;
        ck_assert_int_eq(topo_redistribution_facts(&r, &facts, NULL), TOPO_OK);
        struct topo_matrix *matrix = com_of(&r), *expected = by_definition(&r, r.length ? r.length : facts.iterations);
        ck_assert_msg(topo_matrix_equal(matrix, expected), "seed %d: COM as defined", seed);
        topo_matrix_free(matrix);
        topo_matrix_free(expected);
        /* Whole periods: k COM, and the recurrence of theorem 1. */
        periods = r;
        periods.length = 3 * facts.iterations;
        matrix = com_of(&periods);
        periods.length = facts.iterations;
        expected = com_of(&periods);
        for (int64_t e = 0; e < matrix->messages; e++)
            ck_assert_msg(matrix->weight[e] == 3 * topo_matrix_at(expected, matrix->sender[e], matrix->receiver[e]),
                          "seed %d: three periods are three tables", seed);
        struct topo_shift shift = topo_redistribution_shift(&r, &facts);
        ck_assert_msg(topo_shift_holds(expected, shift), "seed %d: COM repeats by (%d, %d)", seed, shift.m, shift.n);
        topo_matrix_free(matrix);
        topo_matrix_free(expected);
    }
}
END_TEST

START_TEST(refuses)
{
    static const char *const texts[] = {"",
                                        "cyclic(3)@5",
                                        "cyclic(3)@5 -> ",
                                        "cyclic(0)@5 -> cyclic(4)@5",
                                        "cyclic(3)@0 -> cyclic(4)@5",
                                        "cyclic(3)@5 -> cyclic(4)@5 x",
                                        "cyclic(3)@5 > cyclic(4)@5",
                                        "cyclic(-3)@5 -> cyclic(4)@5",
                                        "cyclic(3)@5 -> cyclic(99999999999999999999)@5",
                                        "cyclic(3)@5 -> cyclic(4)@2000000",
                                        "block@5 -> cyclic(4)@5"},
                             *const accesses[] = {"",        "1",       "1,2,3",     "0,1,1,1",
                                                  "1,-,1,1", "1,0,0,1", "1,0,1,0,1", "a,b,c,d"};
    struct topo_redistribution r;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        struct topo_error error = {""};
        ck_assert_msg(topo_redistribution_parse(texts[k], &r, &error) == TOPO_PARSE && error.text[0],
                      "'%s' is refused with a message", texts[k]);
    }
    for (size_t k = 0; k < sizeof accesses / sizeof *accesses; k++) {
        struct topo_error error = {""};
        ck_assert_msg(topo_redistribution_access(accesses[k], &r, &error) == TOPO_PARSE && error.text[0],
                      "'%s' is refused with a message", accesses[k]);
    }
    struct topo_matrix *matrix;
    struct topo_error error = {""};
    ck_assert_int_eq(topo_redistribution_parse(" cyclic ( 3 ) @ 5->cyclic(4)@5 ", &r, &error), TOPO_OK);
    r.a2 = 0;
    ck_assert_int_eq(topo_redistribution_matrix(&r, &matrix, &error), TOPO_INVALID);
    r.a2 = INT64_MAX;
    r.a1 = INT64_MAX - 1;
    ck_assert_msg(topo_redistribution_matrix(&r, &matrix, &error) == TOPO_INVALID, "numbers that overflow");
    r = (struct topo_redistribution){.x = 4, .y = 3, .np = 5, .nq = 5, .a1 = 1, .a2 = 1, .b1 = INT64_MIN / 2};
    ck_assert_int_eq(topo_redistribution_access("1,-4611686018427387905,1,0", &r, &error), TOPO_PARSE);
    ck_assert_int_eq(topo_redistribution_matrix(&r, &matrix, &error), TOPO_OK);
    topo_matrix_free(matrix);
    ck_assert_int_eq(topo_redistribution_parse("cyclic(1000000007)@1000 -> cyclic(998244353)@1000", &r, &error),
                     TOPO_OK);
    r.length = 1000;
    ck_assert_msg(topo_redistribution_matrix(&r, &matrix, &error) == TOPO_OK, "a short loop of a long period: %s",
                  error.text);
    ck_assert(matrix->messages == 1 && topo_matrix_at(matrix, 0, 0) == 1000);
    topo_matrix_free(matrix);
    ck_assert_int_eq(topo_redistribution_parse("cyclic(3)@50000 -> cyclic(4)@50000", &r, &error), TOPO_OK);
    ck_assert_int_eq(topo_redistribution_matrix(&r, &matrix, &error), TOPO_UNSUPPORTED);
    ck_assert_msg(!matrix && strstr(error.text, "allowed:"), "a table of 20 GB: %s", error.text);
}
END_TEST

START_TEST(fuzz)
{
    /* Whatever the text: no crash, and a message whenever it is refused. */
    static const char pieces[][12] = {"cyclic", "(", ")", "@", "->", "3", "0", "-1", " ", "5", ",", "12345678901", "x"};
    uint64_t state = 7;
    int taken = 0;
    for (int round = 0; round < 20000; round++) {
        char text[400];
        struct topo_redistribution r;
        struct topo_error error = {""};
        snprintf(text, sizeof text, "cyclic(3)@5 -> cyclic(4)@5");
        for (uint64_t change = topo_random_below(&state, 4); change > 0; change--) {
            size_t length = strlen(text), at = topo_random_below(&state, length + 1),
                   cut = topo_random_below(&state, 3) % (length - at + 1);
            char rest[400];
            snprintf(rest, sizeof rest, "%s", text + at + cut);
            snprintf(text + at, sizeof text - at, "%s%s", pieces[topo_random_below(&state, 13)], rest);
        }
        enum topo_status status = topo_redistribution_parse(text, &r, &error);
        ck_assert_msg(status == TOPO_OK || (status == TOPO_PARSE && error.text[0]), "'%s'", text);
        if (status == TOPO_OK) {
            taken++;
            ck_assert(r.x >= 1 && r.y >= 1 && r.np >= 1 && r.nq >= 1);
        }
        status = topo_redistribution_access(text + topo_random_below(&state, strlen(text) + 1), &r, &error);
        ck_assert(status == TOPO_OK || status == TOPO_PARSE);
    }
    ck_assert_msg(taken > 1000 && taken < 19000, "some are well (%d of 20,000), some are not", taken);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_redistribution r = read_golden(&goldens[0]);
    struct topo_matrix *matrix = NULL;
    UNIT_OUT_OF_MEMORY(topo_redistribution_matrix(&r, &matrix, NULL),
                       ck_assert((status == TOPO_OK) == (matrix != NULL));
                       topo_matrix_free(matrix));
}
END_TEST

UNIT_MAIN("redistribute", {golden_tables}, {the_documents_third_table}, {definition}, {refuses}, {fuzz},
          {out_of_memory})
