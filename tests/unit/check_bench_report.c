#include "unit.h"

#include "topo-bench/markdown.h"
#include "topo-bench/merge.h"
#include "topo-bench/report.h"
#include "topo-bench/tune.h"

#include "base/memory.h"
#include "select/tuning.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static struct bench_statistics times(double median)
{
    return (struct bench_statistics){
        .count = 9, .min = median / 2, .median = median, .max = 2 * median, .mean = median};
}

/* Two sizes, three algorithms; the second is twice as fast as native, the third applies at the first size only. */
static struct bench_report *sample(void)
{
    struct bench_report *r = bench_report_new(1, 3, 2);
    ck_assert_ptr_nonnull(r);
    r->operation = topo_strdup("allgather");
    r->label = topo_strdup("4x4");
    r->mpi = topo_strdup("Open MPI 9.9.9");
    r->ranks = 16;
    r->nodes = 4;
    r->node_ranks = topo_strdup("4 4 4 4");
    r->placement = topo_strdup("by slot");
    r->data = topo_strdup("contiguous");
    r->split = 1;
    r->level[0] = (struct bench_level){topo_strdup("node"), 4, 125e6, 120e6};
    r->algorithm[0] = topo_strdup("native");
    r->algorithm[1] = topo_strdup("auto");
    r->algorithm[2] = topo_strdup("ring<&>");
    for (int i = 0; i < 2; i++) {
        r->size[i].bytes = i ? 65536 : 64;
        r->size[i].bound = i ? 5e-3 : 5e-6;
        r->size[i].bound_level = topo_strdup("node");
        r->size[i].took = topo_strdup("ring");
        r->size[i].result[0].seconds = times(i ? 20e-3 : 400e-6);
        r->size[i].result[1].seconds = times(i ? 10e-3 : 200e-6);
    }
    r->size[0].result[2].seconds = times(300e-6);
    for (int i = 0; i < 6; i++)
        r->size[i / 3].result[i % 3].batch = 1;
    return r;
}

START_TEST(table_shows_times_and_ratios)
{
    struct bench_report *r = sample();
    struct topo_text out = {0};
    bench_table_heading(r, &out);
    bench_table_size(r, 0, &out);
    r->size[1].result[1].wrong = true;
    bench_table_size(r, 1, &out);
    ck_assert(!out.failed);
    static const char *const wanted[] = {"16 ranks on 4 nodes (4 4 4 4), by slot",
                                         "1000.0 Mbit/s nominal, 960.0 Mbit/s",
                                         "auto (ring)",
                                         "200.0       400.0       800.0     1.00",
                                         "0.50",
                                         "40.00",
                                         "does not apply",
                                         "WRONG RESULT",
                                         "median over native's"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        ck_assert_msg(strstr(out.text, wanted[i]), "the table must hold '%s':\n%s", wanted[i], out.text);
    topo_text_free(&out);
    bench_report_free(r);
}
END_TEST

START_TEST(the_statistic_decides_the_ratios)
{
    struct bench_report *r = sample();
    ck_assert_double_eq(bench_report_seconds(r, 0, 0), 400e-6);
    r->statistic = BENCH_MINIMUM;
    ck_assert_double_eq(bench_report_seconds(r, 0, 0), 200e-6);
    ck_assert_double_eq(bench_report_seconds(r, 0, -1), 0);
    ck_assert_int_eq(bench_report_find(r, "auto"), 1);
    ck_assert_int_eq(bench_report_find(r, "bruck"), -1);
    bench_report_free(r);
}
END_TEST

START_TEST(json_there_and_back)
{
    char path[] = "/tmp/check_bench_report.XXXXXX";
    struct bench_report *r = sample(), *again = NULL;
    struct topo_text first = {0}, second = {0};
    struct topo_error error = {""};
    int file = mkstemp(path);
    ck_assert(file >= 0);
    r->size[1].result[0].wrong = true;
    ck_assert(bench_json_write(r, &first, &error) == TOPO_OK);
    ck_assert(write(file, first.text, first.length) == (ssize_t)first.length);
    close(file);
    ck_assert_msg(bench_json_read(path, &again, &error) == TOPO_OK, "%s", error.text);
    ck_assert(bench_json_write(again, &second, &error) == TOPO_OK);
    ck_assert_str_eq(first.text, second.text);
    ck_assert(again->size[1].result[0].wrong && !again->size[0].result[0].wrong);
    ck_assert_int_eq(again->size[1].result[2].seconds.count, 0);
    ck_assert_double_eq_tol(again->size[1].result[1].seconds.median, 10e-3, 1e-7);
    ck_assert_double_eq_tol(again->level[0].measured, 120e6, 1);
    unlink(path);
    topo_text_free(&first);
    topo_text_free(&second);
    bench_report_free(r);
    bench_report_free(again);
}
END_TEST

START_TEST(what_is_no_report_is_refused)
{
    static const char *const bad[] = {"",
                                      "{",
                                      "[]",
                                      "{}",
                                      "{\"tool\": \"topo-bench\"}",
                                      "{\"tool\": \"topo-bench\", \"levels\": [], \"sizes\": []}",
                                      "{\"tool\": \"topo-bench\", \"levels\": [], \"sizes\": [{\"bytes\": 1}]}",
                                      "{\"tool\": \"topo-bench\", \"levels\": [], \"sizes\": [{\"bytes\": 1, "
                                      "\"results\": [{\"algorithm\": 7}]}]}",
                                      "{\"tool\": \"other\", \"levels\": [], \"sizes\": [{\"bytes\": 1, "
                                      "\"results\": [{\"algorithm\": \"x\"}]}]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char path[] = "/tmp/check_bench_report.XXXXXX";
        struct bench_report *r = NULL;
        struct topo_error error = {""};
        int file = mkstemp(path);
        ck_assert(write(file, bad[i], strlen(bad[i])) == (ssize_t)strlen(bad[i]));
        close(file);
        enum topo_status status = bench_json_read(path, &r, &error);
        unlink(path);
        ck_assert_msg(status == TOPO_PARSE, "'%s' must be refused, status %d: %s", bad[i], status, error.text);
        ck_assert_msg(strstr(error.text, path), "the message names the file: %s", error.text);
    }
    struct topo_error error = {""};
    struct bench_report *r = NULL;
    ck_assert(bench_json_read("/nonexistent/x.json", &r, &error) == TOPO_IO);
}
END_TEST

/* How often `word` occurs. */
static int count(const char *text, const char *word)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        found++;
    return found;
}

START_TEST(chart_draws_every_line)
{
    struct bench_report *r = sample();
    struct topo_text out = {0};
    bench_chart(r, &out);
    ck_assert(!out.failed);
    ck_assert_int_eq(count(out.text, "<circle"), 5);
    /* The bound: its line, which enters the picture at the axis, and its place in the legend. */
    ck_assert_int_eq(count(out.text, "stroke-dasharray=\"6 4\""), 2);
    ck_assert_msg(strstr(out.text, "y1=\"424.00\""), "the bound enters at the axis");
    ck_assert_msg(strstr(out.text, "ring&lt;&amp;&gt;"), "names are escaped");
    ck_assert_msg(!strstr(out.text, "nan") && !strstr(out.text, "inf"), "no coordinate is undefined");
    topo_text_free(&out);
    /* Nothing measured: an empty picture, not a crash. */
    for (int i = 0; i < 2; i++) {
        memset(r->size[i].result, 0, 3 * sizeof *r->size[i].result);
        r->size[i].bound = 0;
    }
    bench_chart(r, &out);
    ck_assert(strstr(out.text, "</svg>"));
    topo_text_free(&out);
    bench_report_free(r);
}
END_TEST

START_TEST(one_size_makes_a_chart_too)
{
    struct bench_report *r = sample();
    struct topo_text out = {0};
    topo_free(r->size[1].bound_level);
    topo_free(r->size[1].took);
    topo_free(r->size[1].result);
    r->sizes = 1;
    bench_chart(r, &out);
    ck_assert_msg(!strstr(out.text, "nan") && !strstr(out.text, "inf"), "no coordinate is undefined");
    topo_text_free(&out);
    bench_report_free(r);
}
END_TEST

START_TEST(page_has_summary_and_tables)
{
    struct bench_report *r[2] = {sample(), sample()};
    const char *const charts[] = {"charts/a.svg", "charts/b.svg"};
    struct topo_text out = {0};
    topo_free(r[1]->placement);
    r[1]->placement = topo_strdup("by node");
    r[1]->size[1].bytes = 1048576;
    r[1]->size[1].result[1].seconds = times(30e-3);
    const char *const notes[] = {"A machine."};
    const struct bench_page page = {r, charts, 2, "tests/cluster/compare --quick", notes, 1, NULL};
    r[1]->size[0].result[1].wrong = true;
    r[1]->size[1].result[2].failed = true;
    bench_markdown(&page, &out);
    ck_assert(!out.failed);
    static const char *const wanted[] = {"    tests/cluster/compare --quick\n",
                                         "\n- A machine.\n",
                                         "| cluster | placement | 64 | 64K | 1M | geometric mean |",
                                         "| 4x4 | by slot | 0.50 | 0.50 | - | 0.50 |",
                                         "| 4x4 | by node | 0.50 | - | **1.50** | 0.87 |",
                                         "| 4x4 | by node | 40.00 | - | 6.00 |",
                                         "](charts/a.svg)",
                                         "](charts/b.svg)",
                                         "| 64 | 400 | 200 | ring | 300 ring<&> | 5.0 | 0.50 | 40.00 |",
                                         "| 64 | 400 | 200 **wrong result** | ring |",
                                         "\nring<&> at 1048576 bytes: **MPI error**.\n"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        ck_assert_msg(strstr(out.text, wanted[i]), "the page must hold '%s':\n%s", wanted[i], out.text);
    topo_text_free(&out);
    bench_report_free(r[0]);
    bench_report_free(r[1]);
}
END_TEST

/* Took the best at one size, native in place of one four times as fast at the other. */
START_TEST(page_tells_what_the_choice_cost)
{
    struct bench_report *r = sample();
    const char *const charts[] = {"charts/a.svg"};
    const struct bench_page page = {&r, charts, 1, "", NULL, 0, NULL};
    struct topo_text out = {0};
    for (int i = 0; i < 2; i++) {
        topo_free(r->size[i].took);
        r->size[i].took = topo_strdup(i ? "native" : "ring<&>");
    }
    r->size[1].result[2].seconds = times(5e-3);
    bench_markdown(&page, &out);
    ck_assert_msg(strstr(out.text, ": geometric mean 2.00, at most 4.00, within 5 % in 1 of 2 cases.\n"), "%s",
                  out.text);
    topo_text_free(&out);
    bench_report_free(r);
}
END_TEST

/* Three runs by slot with one by node between them: the second lacks an algorithm, the third is slow as a whole. */
START_TEST(runs_of_one_thing_are_merged)
{
    struct bench_report *r[4] = {sample(), sample(), sample(), sample()};
    struct bench_report *first = r[0], *other = r[1];
    int left = 4;
    topo_free(r[1]->placement);
    r[1]->placement = topo_strdup("by node");
    topo_free(r[2]->algorithm[2]);
    r[2]->algorithm[2] = topo_strdup("another");
    r[2]->size[0].result[1].seconds = times(220e-6);
    r[2]->size[0].bound = 7e-6;
    r[3]->size[0].result[1].seconds = times(900e-6);
    r[3]->size[0].result[1].wrong = true;
    r[3]->size[0].result[2].seconds = times(500e-6);
    r[3]->size[0].bound = 6e-6;
    r[3]->level[0].measured = 60e6;
    ck_assert_int_eq(bench_merge(r, &left), TOPO_OK);
    ck_assert_int_eq(left, 2);
    ck_assert(r[0] == first && r[1] == other);
    ck_assert_int_eq(first->runs, 3);
    ck_assert_int_eq(other->runs, 1);
    const struct bench_result *automatic = &first->size[0].result[1];
    ck_assert_double_eq(automatic->seconds.median, 220e-6);
    ck_assert_double_eq(automatic->seconds.min, 100e-6);
    ck_assert_double_eq(automatic->seconds.max, 1800e-6);
    ck_assert_int_eq(automatic->seconds.count, 27);
    ck_assert(automatic->wrong && !first->size[1].result[1].wrong);
    ck_assert_double_eq_tol(first->size[0].result[2].seconds.median, 400e-6, 1e-12);
    ck_assert_int_eq(first->size[1].result[2].seconds.count, 0);
    ck_assert_double_eq(first->size[0].bound, 6e-6);
    ck_assert_double_eq(first->level[0].measured, 120e6);
    ck_assert_double_eq(other->size[0].result[1].seconds.median, 200e-6);
    bench_report_free(first);
    bench_report_free(other);
}
END_TEST

/* Five sizes: ring surely faster at the first two; then by too little, in too few rounds, and wrong. */
static struct bench_report *tuned(void)
{
    static const double ring[] = {50e-6, 60e-6, 97e-6, 50e-6, 50e-6}, faster[] = {1, 0.75, 1, 0.7, 1};
    struct bench_report *r = bench_report_new(0, 3, 5);
    r->operation = topo_strdup("allgather");
    r->algorithm[0] = topo_strdup("native");
    r->algorithm[1] = topo_strdup("bruck");
    r->algorithm[2] = topo_strdup("ring");
    for (int i = 0; i < 5; i++) {
        r->size[i].bytes = (size_t)16 << (2 * i);
        r->size[i].result[0] = (struct bench_result){.seconds = times(100e-6), .batch = 1};
        r->size[i].result[1] = (struct bench_result){.seconds = times(300e-6), .batch = 1};
        r->size[i].result[2] = (struct bench_result){.seconds = times(ring[i]), .batch = 1, .faster = faster[i]};
    }
    r->size[4].result[2].wrong = true;
    return r;
}

START_TEST(rules_only_where_surely_faster)
{
    const struct topo_layout layout = {
        .ranks = 8, .nodes = 2, .node_ranks_min = 3, .node_ranks_max = 5, .by_slot = false};
    struct bench_report *r = tuned();
    struct topo_text out = {0};
    struct topo_tuning tuning;
    struct topo_error error = {""};
    bench_tune_rules(r, &layout, &out);
    ck_assert(!out.failed);
    ck_assert_msg(strstr(out.text, "# 16: native 100.0 us, ring 50.0 us, faster in 100 % of 9 rounds\n"), "%s",
                  out.text);
    ck_assert_int_eq(topo_tuning_parse(out.text, "made", &tuning, &error), TOPO_OK);
    ck_assert_int_eq(tuning.count, 2);
    /* Sizes 16, 64, 256: the rules meet at 128. */
    const size_t bytes[] = {0, 16, 128, 129, 256, 4096};
    static const char *const wanted[] = {"ring", "ring", "ring", "native", "native", "native"};
    for (int i = 0; i < 6; i++) {
        const struct topo_rule *rule = topo_tuning_find(&tuning, TOPO_OPERATION_allgather, &layout, bytes[i]);
        ck_assert_msg(rule && !strcmp(rule->algorithm->name, wanted[i]), "%zu bytes: %s", bytes[i], out.text);
    }
    ck_assert_msg(!topo_tuning_find(&tuning, TOPO_OPERATION_allgather, &layout, 4097),
                  "nothing beyond the largest size");
    struct topo_layout other = layout;
    other.by_slot = true;
    ck_assert_msg(!topo_tuning_find(&tuning, TOPO_OPERATION_allgather, &other, 16), "this placement alone");
    topo_tuning_free(&tuning);
    topo_text_free(&out);
    /* Without a right native there is nothing to compare with. */
    r->size[0].result[0].wrong = true;
    ck_assert_ptr_null(bench_tune_winner(r, 0));
    bench_report_free(r);
}
END_TEST

START_TEST(reports_survive_lack_of_memory)
{
    for (long after = 0; after < 8; after++) {
        topo_memory_fail_after(after);
        struct bench_report *r = bench_report_new(1, 3, 2);
        topo_memory_fail_after(-1);
        ck_assert_msg(!r || after >= 5, "allocation %ld failed, yet there is a report", after);
        bench_report_free(r);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bench_report");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, table_shows_times_and_ratios);
    tcase_add_test(tcase, the_statistic_decides_the_ratios);
    tcase_add_test(tcase, json_there_and_back);
    tcase_add_test(tcase, what_is_no_report_is_refused);
    tcase_add_test(tcase, chart_draws_every_line);
    tcase_add_test(tcase, one_size_makes_a_chart_too);
    tcase_add_test(tcase, page_has_summary_and_tables);
    tcase_add_test(tcase, page_tells_what_the_choice_cost);
    tcase_add_test(tcase, runs_of_one_thing_are_merged);
    tcase_add_test(tcase, rules_only_where_surely_faster);
    tcase_add_test(tcase, reports_survive_lack_of_memory);
    suite_add_tcase(suite, tcase);
    return unit_main(suite);
}
