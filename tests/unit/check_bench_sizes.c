#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "topo-bench/plan.h"
#include "topo-bench/rates.h"
#include "topo-bench/request.h"
#include "topo-bench/sizes.h"
#include "topo-bench/statistics.h"

#include "base/memory.h"
#include "machine/synthetic.h"

#include <string.h>

/* The list written out again, blank separated. */
static const char *read_sizes(const char *text, struct topo_error *error)
{
    static char shown[512];
    struct bench_sizes sizes;
    shown[0] = '\0';
    if (bench_sizes_read(text, &sizes, error) == TOPO_OK)
        for (int i = 0; i < sizes.count; i++)
            snprintf(shown + strlen(shown), sizeof shown - strlen(shown), "%s%zu", i ? " " : "", sizes.bytes[i]);
    bench_sizes_free(&sizes);
    return shown;
}

START_TEST(sizes_are_sorted_and_unique)
{
    struct topo_error error = {""};
    ck_assert_str_eq(read_sizes("64,8,1K,64", &error), "8 64 1024");
    ck_assert_str_eq(read_sizes("1..16", &error), "1 2 4 8 16");
    ck_assert_str_eq(read_sizes("8..100:4", &error), "8 32");
    ck_assert_str_eq(read_sizes("1K..1M:32,3", &error), "3 1024 32768 1048576");
    ck_assert_str_eq(read_sizes("7..7", &error), "7");
    ck_assert_str_eq(read_sizes("1G", &error), "1073741824");
}
END_TEST

START_TEST(what_is_no_list_is_refused)
{
    static const char *const bad[] = {"",         "0",      "8,",     "8,,9",      "1..", "..8",
                                      "8..4",     "1..8:",  "1..8:1", "1..8:2000", "-1",  "2G",
                                      "1..8..16", "64;128", "x",      "1.5K",      " 8",  "1..8:4:2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct topo_error error = {""};
        struct bench_sizes sizes;
        ck_assert_msg(bench_sizes_read(bad[i], &sizes, &error) == TOPO_PARSE, "'%s' must be refused", bad[i]);
        ck_assert_msg(strstr(error.text, bad[i]), "the message must hold '%s', it is: %s", bad[i], error.text);
        bench_sizes_free(&sizes);
    }
}
END_TEST

START_TEST(sizes_survive_lack_of_memory)
{
    struct bench_sizes sizes;
    UNIT_OUT_OF_MEMORY(bench_sizes_read("1..1M:4,7", &sizes, NULL), bench_sizes_free(&sizes));
}
END_TEST

START_TEST(statistics)
{
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, one[] = {7};
    struct bench_statistics s = bench_statistics_of(odd, 3);
    ck_assert(s.count == 3 && s.min == 1 && s.median == 2 && s.max == 3);
    ck_assert_double_eq_tol(s.mean, 2, 1e-12);
    s = bench_statistics_of(even, 4);
    ck_assert(s.min == 1 && s.median == 2.5 && s.max == 4);
    ck_assert(bench_statistic(&s, BENCH_MINIMUM) == 1 && bench_statistic(&s, BENCH_MEDIAN) == 2.5);
    s = bench_statistics_of(one, 1);
    ck_assert(s.min == 7 && s.median == 7 && s.max == 7);
    s = bench_statistics_of(one, 0);
    ck_assert(s.count == 0 && s.median == 0);
    ck_assert(bench_ratio(6, 3) == 2 && bench_ratio(6, 0) == 0 && bench_ratio(0, 3) == 0);
}
END_TEST

START_TEST(rates_have_units)
{
    double rate;
    ck_assert(bench_rate_read("1gbit", &rate) && rate == 125e6);
    ck_assert(bench_rate_read("2.5gbit", &rate) && rate == 312.5e6);
    ck_assert(bench_rate_read("100mbit", &rate) && rate == 12.5e6);
    ck_assert(bench_rate_read("8kbit", &rate) && rate == 1000);
    static const char *const bad[] = {"",        "1",       "1000",    "gbit",   "1Gbit",
                                      "1 gbit",  "0gbit",   "-1gbit",  "1gbits", "1.2.3gbit",
                                      "infgbit", "0x1gbit", "1e3mbit", "1g",     "1GB"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!bench_rate_read(bad[i], &rate), "'%s' is no rate", bad[i]);
}
END_TEST

START_TEST(rates_belong_to_levels)
{
    struct bench_rates rates = {{0}};
    struct topo_error error = {""};
    struct topo_tree *tree;
    double rate[TOPO_LEVELS_MAX];
    ck_assert(topo_synthetic_tree("switch:2 node:2 core:2", 0, &tree, &error) == TOPO_OK);
    ck_assert(bench_rates_read("node=1gbit,switch=500mbit", &rates, &error) == TOPO_OK);
    ck_assert(bench_rates_of(&rates, tree, rate, &error) == TOPO_OK);
    ck_assert_msg(rate[0] == 62.5e6 && rate[1] == 125e6, "switch first, then node: %g %g", rate[0], rate[1]);
    ck_assert(bench_rates_read("l3=1gbit", &rates, &error) == TOPO_OK);
    ck_assert(bench_rates_of(&rates, tree, rate, &error) == TOPO_INVALID);
    ck_assert_msg(strstr(error.text, "l3"), "the message names the level: %s", error.text);
    static const char *const bad[] = {
        "", "1gbit", "node", "node=", "node=1", "rack=1gbit", "node=1gbit,", "node=1gbit x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(bench_rates_read(bad[i], &rates, &error) == TOPO_PARSE, "'%s' must be refused", bad[i]);
    topo_tree_free(tree);
}
END_TEST

/* Reads a command line of blank-separated words. */
static enum topo_status read_request(const char *line, struct bench_request *request, struct topo_error *error)
{
    static char words[512];
    char *argv[32] = {(char *)"topo-bench"};
    int argc = 1;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    return bench_request_read(argc, argv, request, error);
}

START_TEST(requests)
{
    struct bench_request r;
    struct topo_error error = {""};
    ck_assert(read_request("allgather", &r, &error) == TOPO_OK);
    ck_assert(r.split == 1 && !r.no_link_test && r.statistic == BENCH_MEDIAN && r.sizes.count > 3);
    bench_request_free(&r);
    ck_assert(
        read_request(
            "allreduce -s 8,16 -a native --type int --op bxor --samples 3..9 --batch 0 --time 0.5 --split 2:block "
            "--statistic min --no-link-test --rate node=1gbit",
            &r, &error) == TOPO_OK);
    ck_assert(r.sizes.count == 2 && r.samples_min == 3 && r.samples_max == 9 && r.batch == 0 && r.seconds == 0.5 &&
              r.split == 2);
    ck_assert(r.split_blocks && r.statistic == BENCH_MINIMUM && r.no_link_test &&
              r.rates.kind[TOPO_LEVEL_NODE] == 125e6);
    ck_assert_int_eq(bench_request_colour(&r, 0, 5), 0);
    ck_assert_int_eq(bench_request_colour(&r, 2, 5), 0);
    ck_assert_int_eq(bench_request_colour(&r, 3, 5), 1);
    r.split_blocks = false;
    ck_assert_int_eq(bench_request_colour(&r, 3, 5), 1);
    ck_assert_int_eq(bench_request_colour(&r, 4, 5), 0);
    bench_request_free(&r);
}
END_TEST

START_TEST(bad_requests_are_refused)
{
    static const struct {
        const char *line, *words;
    } bad[] = {{"", "OPERATION is missing"},
               {"allgather --frob", "unknown option --frob"},
               {"allgather -s", "needs a value"},
               {"allgather --rate node=1000", "a rate with its unit"},
               {"allgather -s 1..x", "no list of sizes"},
               {"allgather extra", "unexpected argument extra"},
               {"allgather --samples 9..3", "--samples 9..3"},
               {"allgather --samples 5", "--samples 5"},
               {"allgather --time 0", "--time 0"},
               {"allgather --batch -1", "--batch -1"},
               {"allgather --split 0", "--split 0"},
               {"allgather --split 2:rows", "--split 2:rows"},
               {"allgather --data holes", "contiguous gaps"},
               {"allreduce --data gaps", "plain types"},
               {"allreduce --op bxor", "--type int or long"},
               {"allreduce --type char", "int long float double"},
               {"allgather --statistic mean", "median min"},
               {"allgather,allreduce --json x", "need % in the names"},
               {"allgather,allreduce --svg x", "need % in the names"},
               {"allgather,allreduce --data gaps", "plain types"},
               {"tune", "--tuning FILE"},
               {"--tune", "--tuning FILE"},
               {"allgather --tuning x", "--tuning FILE"},
               {"allgather --params x", "topo-bench levels"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bench_request r;
        struct topo_error error = {""};
        ck_assert_msg(read_request(bad[i].line, &r, &error) == TOPO_PARSE, "'%s' must be refused", bad[i].line);
        ck_assert_msg(strstr(error.text, bad[i].words), "'%s': message must hold '%s', it is: %s", bad[i].line,
                      bad[i].words, error.text);
        bench_request_free(&r);
    }
}
END_TEST

START_TEST(files_of_several_operations)
{
    struct topo_text out = {0};
    bench_path("a/%-%.json", "allgather", &out);
    ck_assert_str_eq(out.text, "a/allgather-allgather.json");
    topo_text_free(&out);
    bench_path("plain", "allgather", &out);
    ck_assert_str_eq(out.text, "plain");
    topo_text_free(&out);
}
END_TEST

START_TEST(samples_fit_the_time)
{
    struct bench_request r = {.seconds = 1, .batch = 0.01, .samples_min = 5, .samples_max = 1000};
    /* 10 ms batches of three: 33 rounds in a second. */
    struct bench_planned fast[] = {{.seconds = 1e-3, .named = true}, {.seconds = 1e-4}, {.seconds = 5e-3}};
    ck_assert_int_eq(bench_plan(&r, fast, 3), 33);
    ck_assert(fast[0].batch == 10 && fast[1].batch == 100 && fast[2].batch == 2);
    /* One that does not run. A clock that shows nothing makes no endless batch. */
    struct bench_planned odd[] = {{.seconds = 0, .named = true}, {.seconds = 1e-30, .named = true}};
    bench_plan(&r, odd, 2);
    ck_assert(odd[0].batch == 0 && odd[1].batch == 10000);
    /* Five rounds of all take 9.5 s: the slowest go, down to the two fastest; what is named stays. */
    struct bench_planned slow[] = {
        {.seconds = 1, .named = true}, {.seconds = 0.2}, {.seconds = 0.4}, {.seconds = 0.1}, {.seconds = 0.3}};
    ck_assert_int_eq(bench_plan(&r, slow, 5), 5);
    ck_assert(slow[0].batch == 1 && slow[1].batch == 1 && slow[3].batch == 1);
    ck_assert(slow[2].batch == 0 && slow[4].batch == 0);
    /* With more time all stay; never more than the most samples. */
    r.seconds = 11;
    ck_assert_int_eq(bench_plan(&r, slow, 5), 5);
    ck_assert(slow[2].batch == 1 && slow[4].batch == 1);
    r.seconds = 1e6;
    ck_assert_int_eq(bench_plan(&r, slow, 5), 1000);
}
END_TEST

START_TEST(pairs_have_equal_batches)
{
    static const struct {
        double batch, left, right;
        int calls, samples;
    } rows[] = {
        {0.01, 1e-4, 1e-4, 100, 50},                            /* both 10 ms */
        {0.01, 2e-4, 1e-4, 100, 33},                            /* 10 ms of the faster one, whichever it is */
        {0.01, 1e-4, 2e-4, 100, 33}, {0.01, 1e-2, 1e-4, 4, 24}, /* 40 ms of the slower one at most */
        {0.01, 0.3, 0.2, 1, 10},                                /* long calls by themselves, as many as must be */
        {0, 1e-4, 1e-4, 1, 200},                                /* single calls */
        {0.01, 0, 0, 10000, 10},                                /* a clock that shows nothing */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct bench_request r = {.seconds = 1, .batch = rows[i].batch, .samples_min = 10, .samples_max = 200};
        int batch;
        int samples = bench_plan_pair(&r, (const double[]){rows[i].left, rows[i].right}, &batch);
        ck_assert_msg(batch == rows[i].calls && samples == rows[i].samples, "row %zu: %d calls, %d samples", i, batch,
                      samples);
    }
}
END_TEST

UNIT_MAIN("bench_sizes", {sizes_are_sorted_and_unique}, {what_is_no_list_is_refused}, {sizes_survive_lack_of_memory},
          {statistics}, {rates_have_units}, {rates_belong_to_levels}, {requests}, {bad_requests_are_refused},
          {files_of_several_operations}, {samples_fit_the_time}, {pairs_have_equal_batches})
