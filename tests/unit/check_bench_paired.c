#include "unit.h"

#include <math.h>

#include "lateness.h"
#include "topo-bench/paired.h"

enum { MOST = 200 };

/* 1, 2, 3, ... from the last to the first. */
static struct bench_paired of_numbers(int count)
{
    double ratio[MOST];
    for (int i = 0; i < count; i++)
        ratio[i] = count - i;
    return bench_paired_of(ratio, count);
}

START_TEST(limits_are_those_of_the_sign_test)
{
    /* From the binomial distribution: so many of the smallest may be left out of `count`. */
    static const struct {
        int count, rank;
    } rows[] = {{10, 1}, {11, 1}, {13, 1}, {14, 2}, {20, 3}, {50, 14}, {100, 35}, {200, 78}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench_paired paired = of_numbers(rows[i].count);
        ck_assert_int_eq(paired.count, rows[i].count);
        ck_assert_double_eq(paired.low, rows[i].rank);
        ck_assert_double_eq(paired.high, rows[i].count + 1 - rows[i].rank);
        ck_assert_double_eq(paired.ratio, (rows[i].count + 1) / 2.0);
    }
}
END_TEST

START_TEST(few_pairs_say_nothing)
{
    for (int count = 0; count < BENCH_PAIRS_LEAST; count++) {
        struct bench_paired paired = of_numbers(count);
        ck_assert(paired.low <= 0 && isinf(paired.high));
        ck_assert_int_eq(bench_verdict_of(&paired, 0), BENCH_UNCLEAR);
    }
    ck_assert(!isinf(of_numbers(BENCH_PAIRS_LEAST).high));
}
END_TEST

START_TEST(verdicts_go_by_the_limits)
{
    static const struct {
        double low, high, slack;
        enum bench_verdict verdict;
    } rows[] = {
        {0.5, 1.04, 0.05, BENCH_KEPT},      {0.5, 1.06, 0.05, BENCH_UNCLEAR}, {1.06, 1.2, 0.05, BENCH_BROKEN},
        {1.04, 3, 0.05, BENCH_UNCLEAR},     {1.06, 1.09, 0.1, BENCH_KEPT},    {1.01, 1.02, 0, BENCH_BROKEN},
        {0, INFINITY, 0.05, BENCH_UNCLEAR},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench_paired paired = {.count = 20, .ratio = 1, .low = rows[i].low, .high = rows[i].high};
        ck_assert_int_eq(bench_verdict_of(&paired, rows[i].slack), rows[i].verdict);
    }
    ck_assert_str_eq(bench_verdict_word(BENCH_KEPT), "kept");
    ck_assert_str_eq(bench_verdict_word(BENCH_BROKEN), "broken");
    ck_assert_str_eq(bench_verdict_word(BENCH_UNCLEAR), "unclear");
}
END_TEST

/* A time of a busy machine: skewed, and now and then ten times as long; its median is `median`. */
static double busy(double median)
{
    double share = uniform(), time = median * pow(share / (1 - share), 0.3);
    return uniform() < 0.05 ? 10 * time : time;
}

/* In how many of `runs` measurements a side that takes `factor` times as long as the other breaks its guideline. */
static int broken_of(int runs, int count, double factor, double slack)
{
    int broken = 0;
    for (int run = 0; run < runs; run++) {
        double ratio[MOST];
        for (int i = 0; i < count; i++)
            ratio[i] = busy(factor) / busy(1);
        struct bench_paired paired = bench_paired_of(ratio, count);
        broken += bench_verdict_of(&paired, slack) == BENCH_BROKEN;
    }
    return broken;
}

START_TEST(who_is_as_fast_is_not_accused)
{
    lateness_state = LATENESS_SEED;
    /* One in a thousand, and no more than what twice that gives by chance. */
    ck_assert_int_le(broken_of(20000, 10, 1, 0), 30);
    ck_assert_int_le(broken_of(20000, 30, 1, 0), 30);
    ck_assert_int_gt(broken_of(20000, 10, 1, 0) + broken_of(20000, 30, 1, 0), 0);
    /* With the tolerance hardly ever. */
    ck_assert_int_le(broken_of(20000, 30, 1, 0.05), 10);
}
END_TEST

START_TEST(who_is_slower_is_found)
{
    lateness_state = LATENESS_SEED;
    ck_assert_int_ge(broken_of(1000, 100, 1.8, 0.05), 900);
    ck_assert_int_ge(broken_of(1000, 30, 3, 0.05), 900);
}
END_TEST

START_TEST(rare_long_samples_decide_nothing)
{
    double ratio[20];
    for (int i = 0; i < 20; i++)
        ratio[i] = i % 5 == 0 ? 100 : 0.9;
    struct bench_paired paired = bench_paired_of(ratio, 20);
    ck_assert_double_eq(paired.ratio, 0.9);
    ck_assert_int_ne(bench_verdict_of(&paired, 0.05), BENCH_BROKEN);
}
END_TEST

UNIT_MAIN("bench_paired", {limits_are_those_of_the_sign_test}, {few_pairs_say_nothing}, {verdicts_go_by_the_limits},
          {who_is_as_fast_is_not_accused}, {who_is_slower_is_found}, {rare_long_samples_decide_nothing})
