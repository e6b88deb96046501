#include "unit.h"

#include <jansson.h>
#include <string.h>

#include "topo-bench/guideline_report.h"

static const struct bench_guideline *guideline_of(enum bench_guideline_kind kind, const char *operation)
{
    for (int i = 0; i < bench_guidelines; i++)
        if (bench_guideline[i].kind == kind && !strcmp(bench_guideline[i].operation, operation))
            return &bench_guideline[i];
    ck_abort_msg("no such guideline");
    return NULL;
}

static struct bench_comparison compared(enum bench_guideline_kind kind, const char *operation, bool library, double low,
                                        double high)
{
    return (struct bench_comparison){.guideline = guideline_of(kind, operation),
                                     .library = library,
                                     .bytes = 1024,
                                     .slack = bench_guideline_slack(kind, 0.05),
                                     .left = {.count = 20, .median = 12e-6},
                                     .right = {.count = 20, .median = 10e-6},
                                     .paired = {.count = 20, .ratio = 1.2, .low = low, .high = high}};
}

/* Of a table's line, without the blanks. */
static void check_line(const struct bench_comparison *comparison, const char *wanted)
{
    struct topo_text line = {0}, words = {0};
    bench_guidelines_line(comparison, &line);
    ck_assert(line.text[line.length - 1] == '\n');
    line.text[line.length - 1] = '\0';
    char *rest = line.text, *word;
    while ((word = strsep(&rest, " ")))
        if (*word)
            topo_text_addf(&words, "%s%s", words.length ? " " : "", word);
    ck_assert_str_eq(words.text, wanted);
    topo_text_free(&line);
    topo_text_free(&words);
}

START_TEST(a_line_says_what_was_found)
{
    struct bench_comparison one = compared(BENCH_MOCKUP, "allreduce", false, 1.15, 1.25);
    check_line(
        &one, "1024 native streaming allreduce <= reduce + bcast 12.0 10.0 1.20 1.15..1.25 broken: the right side is a "
              "free algorithm");
    one.library = true;
    one.calls = BENCH_ISOLATED;
    check_line(&one, "1024 auto isolated allreduce <= reduce + bcast 12.0 10.0 1.20 1.15..1.25 broken");
    one = compared(BENCH_ROOT, "bcast", false, 1.06, 1.09);
    check_line(&one, "1024 native streaming bcast, middle root <= bcast 12.0 10.0 1.20 1.06..1.09 kept");
    one = compared(BENCH_ROOT, "bcast", false, 1.15, 1.25);
    check_line(&one, "1024 native streaming bcast, middle root <= bcast 12.0 10.0 1.20 1.15..1.25 broken");
    one = compared(BENCH_ARRIVAL, "reduce", true, 0.9, 1.25);
    one.arrival = BENCH_LATE_NODE;
    one.calls_late = 0.5;
    check_line(&one, "1024 auto streaming reduce by auto <= native, node late 0.5 12.0 10.0 1.20 0.90..1.25 unclear");
    one = compared(BENCH_ARRIVAL, "barrier", true, 0, 1.0 / 0.0);
    one.bytes = 0;
    check_line(&one, "0 auto streaming barrier by auto <= native 12.0 10.0 1.20 - unclear");
    one.wrong = true;
    check_line(&one, "0 auto streaming barrier by auto <= native WRONG RESULT");
    one.failed = true;
    check_line(&one, "0 auto streaming barrier by auto <= native FAILED: MPI error");
}
END_TEST

START_TEST(the_summary_counts)
{
    struct bench_comparison list[] = {
        compared(BENCH_MOCKUP, "allreduce", false, 1.15, 1.25), compared(BENCH_MOCKUP, "bcast", false, 0.9, 1),
        compared(BENCH_SPLIT, "bcast", false, 0.9, 1.04), compared(BENCH_PLACE, "reduce", true, 0.9, 1.3),
        compared(BENCH_PLACE, "reduce", true, 0.9, 1.3)};
    struct topo_text text = {0};
    list[4].wrong = true;
    bench_guidelines_summary(list, 5, &text);
    ck_assert_str_eq(text.text, "# native: 2 kept, 1 broken, 0 unclear\n"
                                "# auto: 0 kept, 0 broken, 1 unclear, 1 wrong or failed\n");
    topo_text_free(&text);
    text = (struct topo_text){0};
    bench_guidelines_summary(list, 3, &text);
    ck_assert_str_eq(text.text, "# native: 2 kept, 1 broken, 0 unclear\n");
    topo_text_free(&text);
}
END_TEST

static struct bench_report job = {.mpi = (char *)"Open MPI 9.9.9",
                                  .label = (char *)"here",
                                  .ranks = 16,
                                  .nodes = 4,
                                  .node_ranks = (char *)"4 4 4 4",
                                  .placement = (char *)"by slot",
                                  .split = 1};

START_TEST(json_holds_all_of_it)
{
    struct bench_comparison list[] = {compared(BENCH_MOCKUP, "allreduce", false, 1.15, 1.25),
                                      compared(BENCH_ARRIVAL, "reduce", true, 0, 1.0 / 0.0),
                                      compared(BENCH_PLACE, "reduce", true, 0.9, 1.3)};
    struct topo_text text = {0};
    list[1].arrival = BENCH_LATE_RAMP;
    list[1].calls_late = 2;
    list[1].late = 20e-6;
    list[2].failed = true;
    bench_guidelines_json(&job, list, 3, &text);
    ck_assert(!text.failed);
    json_t *root = json_loads(text.text, 0, NULL);
    ck_assert_ptr_nonnull(root);
    ck_assert_str_eq(json_string_value(json_object_get(root, "tool")), "topo-bench guidelines");
    ck_assert_int_eq(json_integer_value(json_object_get(root, "ranks")), 16);
    const json_t *all = json_object_get(root, "comparisons");
    ck_assert_uint_eq(json_array_size(all), 3);
    const json_t *first = json_array_get(all, 0), *second = json_array_get(all, 1), *third = json_array_get(all, 2);
    ck_assert_str_eq(json_string_value(json_object_get(first, "right")), "reduce + bcast");
    ck_assert_str_eq(json_string_value(json_object_get(first, "verdict")), "broken");
    ck_assert_double_eq_tol(json_real_value(json_object_get(first, "left_us")), 12, 1e-4);
    ck_assert_double_eq_tol(json_real_value(json_object_get(first, "allowed")), 1.05, 1e-6);
    ck_assert_double_eq_tol(json_real_value(json_object_get(first, "low")), 1.15, 1e-6);
    ck_assert_str_eq(json_string_value(json_object_get(second, "late")), "ramp");
    ck_assert_double_eq_tol(json_real_value(json_object_get(second, "late_us")), 20, 1e-4);
    ck_assert(json_is_null(json_object_get(second, "low")) && json_is_null(json_object_get(second, "high")));
    ck_assert_str_eq(json_string_value(json_object_get(second, "verdict")), "unclear");
    ck_assert(json_is_true(json_object_get(third, "failed")) && !json_object_get(third, "verdict"));
    json_decref(root);
    topo_text_free(&text);
}
END_TEST

START_TEST(the_heading_says_where)
{
    struct topo_text text = {0};
    bench_guidelines_heading(&job, 0.05, &text);
    ck_assert_ptr_nonnull(
        strstr(text.text, "# guidelines: 16 ranks on 4 nodes (4 4 4 4), by slot; Open MPI 9.9.9, here\n"));
    ck_assert_ptr_nonnull(strstr(text.text, "more than 5 % above 1 (another root: 10 %)"));
    topo_text_free(&text);
}
END_TEST

UNIT_MAIN("bench_guideline_report", {a_line_says_what_was_found}, {the_summary_counts}, {json_holds_all_of_it},
          {the_heading_says_where})
