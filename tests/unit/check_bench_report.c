#include "unit.h"

#include "topo-bench/report.h"
#include "topo-bench/tune.h"

#include "base/memory.h"
#include "select/tuning.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

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

/* OSU's habit: one line a size, one column an algorithm. */
START_TEST(columns_are_algorithms)
{
    struct bench_report *r = sample();
    struct topo_text out = {0};
    r->size[1].result[1].wrong = true;
    bench_columns_heading(r, &out);
    bench_columns_size(r, 0, &out);
    bench_columns_size(r, 1, &out);
    ck_assert(!out.failed);
    const char *lines = strstr(out.text, "# Size");
    ck_assert_msg(lines && !strcmp(lines, "# Size            native          auto       ring<&>\n"
                                          "64                400.00        200.00        300.00\n"
                                          "65536           20000.00         WRONG             -\n"),
                  "not these columns:\n%s", out.text);
    topo_text_free(&out);
    bench_report_free(r);
}
END_TEST

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

/* The value under a path such as "sizes.1.results.0.median_us". */
static const json_t *at(const json_t *value, const char *path)
{
    char words[64], *rest = words;
    snprintf(words, sizeof words, "%s", path);
    for (char *word = strsep(&rest, "."); word && value; word = strsep(&rest, "."))
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(word)) : json_object_get(value, word);
    ck_assert_msg(value != NULL, "the JSON must have %s", path);
    return value;
}

START_TEST(json_holds_what_was_measured)
{
    static const struct {
        const char *path;
        double value;
    } numbers[] = {{"ranks", 16},
                   {"nodes", 4},
                   {"split", 1},
                   {"levels.0.units", 4},
                   {"levels.0.nominal", 125e6},
                   {"levels.0.measured", 120e6},
                   {"sizes.0.bytes", 64},
                   {"sizes.1.bytes", 65536},
                   {"sizes.0.bound_us", 5},
                   {"sizes.0.results.0.median_us", 400},
                   {"sizes.0.results.1.min_us", 100},
                   {"sizes.1.results.1.max_us", 20e3},
                   {"sizes.0.results.0.samples", 9},
                   {"sizes.0.results.0.calls_per_sample", 1},
                   {"sizes.0.results.1.ratio_native", 0.5},
                   {"sizes.0.results.1.ratio_bound", 40},
                   {"sizes.1.results.2.samples", 0}};
    static const char *const words[][2] = {
        {"tool", "topo-bench"},          {"operation", "allgather"}, {"label", "4x4"},
        {"mpi", "Open MPI 9.9.9"},       {"node_ranks", "4 4 4 4"},  {"placement", "by slot"},
        {"data", "contiguous"},          {"statistic", "median"},    {"levels.0.level", "node"},
        {"sizes.0.bound_level", "node"}, {"sizes.1.auto", "ring"},   {"sizes.1.results.2.algorithm", "ring<&>"}};
    struct bench_report *r = sample();
    struct topo_text out = {0};
    r->size[1].result[0].wrong = true;
    bench_json_write(r, &out);
    ck_assert(!out.failed);
    json_t *root = json_loads(out.text, 0, NULL);
    ck_assert_ptr_nonnull(root);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ck_assert_double_eq_tol(json_number_value(at(root, numbers[i].path)), numbers[i].value, 1e-6);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ck_assert_str_eq(json_string_value(at(root, words[i][0])), words[i][1]);
    ck_assert(json_is_false(at(root, "sizes.1.results.0.correct")) &&
              json_is_true(at(root, "sizes.0.results.0.correct")));
    ck_assert_int_eq((int)json_array_size(at(root, "sizes")), 2);
    json_decref(root);
    topo_text_free(&out);
    bench_report_free(r);
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
        r->size[i].bytes = r->size[i].looked_up = (size_t)16 << (2 * i);
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
    /* Irregular blocks of 16, 64, ... bytes are half as long again on average; the last two nearly the same. */
    const size_t means[] = {24, 96, 384, 6144, 6000};
    out = (struct topo_text){0};
    for (int i = 0; i < 5; i++)
        r->size[i].looked_up = means[i];
    bench_tune_rules(r, &layout, &out);
    ck_assert_int_eq(topo_tuning_parse(out.text, "made", &tuning, &error), TOPO_OK);
    ck_assert_msg(strstr(out.text, "# 16: native") && strstr(out.text, " bytes=0-192 ring\n") &&
                      strstr(out.text, " bytes=193-6000 native\n"),
                  "%s", out.text);
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
    struct bench_report *r;
    UNIT_OUT_OF_MEMORY((r = bench_report_new(1, 3, 2)) ? TOPO_OK : TOPO_NOMEM, bench_report_free(r));
}
END_TEST

UNIT_MAIN("bench_report", {table_shows_times_and_ratios}, {columns_are_algorithms}, {the_statistic_decides_the_ratios},
          {json_holds_what_was_measured}, {rules_only_where_surely_faster}, {reports_survive_lack_of_memory})
