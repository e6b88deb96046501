/* The report as JSON, by jansson. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
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
    return json_pack("{s:s, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:b, s:b}", "algorithm",
                     report->algorithm[algorithm], "samples", s->count, "calls_per_sample", result->batch, "min_us",
                     s->min * 1e6, "median_us", s->median * 1e6, "max_us", s->max * 1e6, "mean_us", s->mean * 1e6,
                     "ratio_native", ratio_native, "ratio_bound", ratio_bound, "faster_than_native", result->faster,
                     "correct", !result->wrong, "failed", result->failed);
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

enum topo_status bench_json_write(const struct bench_report *report, struct topo_text *out, struct topo_error *error)
{
    json_t *levels = json_array(), *sizes = json_array(), *root = NULL;
    char *dump = NULL;
    for (int l = 0; l < report->levels; l++)
        json_array_append_new(levels, json_pack("{s:s, s:i, s:f, s:f}", "level", report->level[l].name, "units",
                                                report->level[l].units, "nominal", report->level[l].nominal, "measured",
                                                report->level[l].measured));
    for (int i = 0; i < report->sizes; i++)
        json_array_append_new(sizes, size_json(report, i));
    root = json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:s, s:s, s:s, s:i, s:s, s:o, s:o}", "tool", "topo-bench",
                     "operation", report->operation, "label", text(report->label), "mpi", text(report->mpi), "ranks",
                     report->ranks, "nodes", report->nodes, "node_ranks", text(report->node_ranks), "placement",
                     text(report->placement), "data", text(report->data), "split", report->split, "statistic",
                     report->statistic == BENCH_MEDIAN ? "median" : "minimum", "levels", levels, "sizes", sizes);
    /* More digits than any measurement has, so that a chart that is made from the file is the one of the run. */
    dump = root ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) : NULL;
    if (dump)
        topo_text_addf(out, "%s\n", dump);
    json_decref(root);
    free(dump);
    return dump && !out->failed ? TOPO_OK : topo_fail(error, TOPO_NOMEM, "out of memory for JSON");
}

static char *copy(const json_t *object, const char *key)
{
    return topo_strdup(text(json_string_value(json_object_get(object, key))));
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static int integer(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

static void read_size(const json_t *json, struct bench_size *size, int algorithms)
{
    const json_t *results = json_object_get(json, "results");
    size->bytes = (size_t)json_integer_value(json_object_get(json, "bytes"));
    size->bound = number(json, "bound_us") / 1e6;
    size->bound_level = copy(json, "bound_level");
    size->took = copy(json, "auto");
    for (int a = 0; a < algorithms; a++) {
        const json_t *r = json_array_get(results, (size_t)a);
        size->result[a].seconds = (struct bench_statistics){.count = integer(r, "samples"),
                                                            .min = number(r, "min_us") / 1e6,
                                                            .median = number(r, "median_us") / 1e6,
                                                            .max = number(r, "max_us") / 1e6,
                                                            .mean = number(r, "mean_us") / 1e6};
        size->result[a].batch = integer(r, "calls_per_sample");
        size->result[a].faster = number(r, "faster_than_native");
        size->result[a].failed = json_is_true(json_object_get(r, "failed"));
        size->result[a].wrong = json_is_false(json_object_get(r, "correct"));
    }
}

/* The report in `root`, which is known to have the arrays; NULL when out of memory. */
static struct bench_report *read_root(const json_t *root)
{
    const json_t *levels = json_object_get(root, "levels"), *sizes = json_object_get(root, "sizes");
    const json_t *results = json_object_get(json_array_get(sizes, 0), "results");
    struct bench_report *r =
        bench_report_new((int)json_array_size(levels), (int)json_array_size(results), (int)json_array_size(sizes));
    if (!r)
        return NULL;
    r->operation = copy(root, "operation");
    r->label = copy(root, "label");
    r->mpi = copy(root, "mpi");
    r->ranks = integer(root, "ranks");
    r->nodes = integer(root, "nodes");
    r->node_ranks = copy(root, "node_ranks");
    r->placement = copy(root, "placement");
    r->data = copy(root, "data");
    r->split = integer(root, "split");
    r->statistic =
        !strcmp(text(json_string_value(json_object_get(root, "statistic"))), "minimum") ? BENCH_MINIMUM : BENCH_MEDIAN;
    for (int l = 0; l < r->levels; l++) {
        const json_t *level = json_array_get(levels, (size_t)l);
        r->level[l] = (struct bench_level){.name = copy(level, "level"),
                                           .units = integer(level, "units"),
                                           .nominal = number(level, "nominal"),
                                           .measured = number(level, "measured")};
    }
    for (int a = 0; a < r->algorithms; a++)
        r->algorithm[a] = copy(json_array_get(results, (size_t)a), "algorithm");
    for (int i = 0; i < r->sizes; i++)
        read_size(json_array_get(sizes, (size_t)i), &r->size[i], r->algorithms);
    return r;
}

/* True when the tree of values has the shape that bench_json_write() gives it. */
static bool has_shape(const json_t *root)
{
    const json_t *sizes = json_object_get(root, "sizes");
    const json_t *tool = json_object_get(root, "tool");
    size_t algorithms = json_array_size(json_object_get(json_array_get(sizes, 0), "results"));
    if (!json_is_string(tool) || strcmp(json_string_value(tool), "topo-bench") ||
        !json_is_array(json_object_get(root, "levels")) || json_array_size(sizes) == 0 || algorithms == 0)
        return false;
    for (size_t i = 0; i < json_array_size(sizes); i++) {
        const json_t *size = json_array_get(sizes, i);
        const json_t *results = json_object_get(size, "results");
        if (!json_is_integer(json_object_get(size, "bytes")) || json_array_size(results) != algorithms)
            return false;
        for (size_t a = 0; a < algorithms; a++)
            if (!json_is_string(json_object_get(json_array_get(results, a), "algorithm")))
                return false;
    }
    return true;
}

enum topo_status bench_json_read(const char *path, struct bench_report **report, struct topo_error *error)
{
    json_error_t why;
    char *content;
    size_t length;
    enum topo_status status = topo_read_file(path, &content, &length, error);
    if (status != TOPO_OK)
        return status;
    json_t *root = json_loadb(content, length, 0, &why);
    topo_free(content);
    if (!root)
        return topo_fail(error, TOPO_PARSE, "%s:%d: %s", path, why.line > 0 ? why.line : 0, why.text);
    if (!has_shape(root)) {
        json_decref(root);
        return topo_fail(error, TOPO_PARSE, "%s: no report of topo-bench (its --json option writes them)", path);
    }
    *report = read_root(root);
    json_decref(root);
    if (*report)
        (*report)->file = topo_strdup(path);
    return *report ? TOPO_OK : topo_fail(error, TOPO_NOMEM, "out of memory for %s", path);
}
