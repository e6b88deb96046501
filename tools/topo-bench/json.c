/* The report as JSON, by jansson. */
#include "common/json.h"
#include "topo-bench/report.h"

/* json_pack() needs a string where we may have none. */
static const char *text(const char *string)
{
    return string ? string : "";
}

static json_t *result_json(const struct bench_report *report, int size, int algorithm)
{
    const struct bench_result *result = &report->size[size].result[algorithm];
    const struct bench_statistics *s = &result->seconds;
    int native = bench_report_find(report, "native");
    double seconds = bench_report_seconds(report, size, algorithm);
    double ratio_native = bench_ratio(seconds, bench_report_seconds(report, size, native));
    double ratio_bound = bench_ratio(seconds, report->size[size].bound);
    if (!s->count)
        return json_pack("{s:s, s:i, s:b}", "algorithm", report->algorithm[algorithm], "samples", 0, "failed",
                         result->failed);
    json_t *json = json_pack("{s:s, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:b, s:b}", "algorithm",
                             report->algorithm[algorithm], "samples", s->count, "calls_per_sample", result->batch,
                             "min_us", s->min * 1e6, "median_us", s->median * 1e6, "max_us", s->max * 1e6, "mean_us",
                             s->mean * 1e6, "ratio_native", ratio_native, "ratio_bound", ratio_bound,
                             "faster_than_native", result->faster, "correct", !result->wrong, "failed", result->failed);
    if (json && result->ran)
        json_object_set_new(json, "ran", json_string(result->ran));
    if (json && result->first.count)
        json_object_set_new(json, "first_median_us", json_real(result->first.median * 1e6));
    if (json && result->first.count)
        json_object_set_new(json, "first_mean_us", json_real(result->first.mean * 1e6));
    return json;
}

static json_t *size_json(const struct bench_report *report, int size)
{
    const struct bench_size *s = &report->size[size];
    json_t *results = json_array();
    for (int a = 0; a < report->algorithms; a++)
        json_array_append_new(results, result_json(report, size, a));
    return json_pack("{s:I, s:f, s:s, s:s, s:o}", "bytes", (json_int_t)s->bytes, "bound_us", s->bound * 1e6,
                     "bound_level", text(s->bound_level), "auto", text(s->took), "results", results);
}

void bench_json_write(const struct bench_report *report, struct topo_text *out)
{
    json_t *levels = json_array(), *sizes = json_array();
    for (int l = 0; l < report->levels; l++)
        json_array_append_new(levels, json_pack("{s:s, s:i, s:f, s:f}", "level", report->level[l].name, "units",
                                                report->level[l].units, "nominal", report->level[l].nominal, "measured",
                                                report->level[l].measured));
    for (int i = 0; i < report->sizes; i++)
        json_array_append_new(sizes, size_json(report, i));
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:s, s:s, s:s, s:i, s:s, s:o, s:o}", "tool", "topo-bench",
                  "operation", report->operation, "label", text(report->label), "mpi", text(report->mpi), "ranks",
                  report->ranks, "nodes", report->nodes, "node_ranks", text(report->node_ranks), "placement",
                  text(report->placement), "data", text(report->data), "split", report->split, "statistic",
                  report->statistic == BENCH_MEDIAN ? "median" : "minimum", "levels", levels, "sizes", sizes);
    /* More digits than any measurement has. */
    cli_json(out, root, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
}
