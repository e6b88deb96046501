#include "topo-bench/merge.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static bool same(const char *a, const char *b)
{
    return !strcmp(a ? a : "", b ? b : "");
}

static bool of_one_thing(const struct bench_report *a, const struct bench_report *b)
{
    return same(a->operation, b->operation) && same(a->label, b->label) && same(a->placement, b->placement) &&
           same(a->node_ranks, b->node_ranks) && same(a->data, b->data) && same(a->mpi, b->mpi) &&
           a->split == b->split && a->statistic == b->statistic;
}

/* Index of a size, -1 when it is not in the report. */
static int find_size(const struct bench_report *report, size_t bytes)
{
    for (int i = 0; i < report->sizes; i++)
        if (report->size[i].bytes == bytes)
            return i;
    return -1;
}

/* The result of one algorithm at one size in each of the runs; how many have it. */
static int results_of(struct bench_report *const *run, int runs, size_t bytes, const char *algorithm,
                      const struct bench_result **found)
{
    int count = 0;
    for (int r = 0; r < runs; r++) {
        int size = find_size(run[r], bytes), a = bench_report_find(run[r], algorithm);
        if (size >= 0 && a >= 0)
            found[count++] = &run[r]->size[size].result[a];
    }
    return count;
}

/* Of all runs in which it was sampled. `values` has room for as many as there are runs. */
static struct bench_result merged(const struct bench_result *const *run, int runs, double *values)
{
    struct bench_result all = {.batch = 0};
    struct bench_statistics *s = &all.seconds;
    int sampled = 0;
    for (int r = 0; r < runs; r++) {
        const struct bench_statistics *one = &run[r]->seconds;
        all.wrong |= run[r]->wrong;
        all.failed |= run[r]->failed;
        if (one->count == 0)
            continue;
        s->min = sampled == 0 || one->min < s->min ? one->min : s->min;
        s->max = sampled == 0 || one->max > s->max ? one->max : s->max;
        s->mean += one->mean * one->count;
        s->count += one->count;
        all.faster += run[r]->faster * one->count;
        all.batch = all.batch ? all.batch : run[r]->batch;
        values[sampled++] = one->median;
    }
    if (sampled > 0) {
        s->mean /= s->count;
        all.faster /= s->count;
        s->median = bench_statistics_of(values, sampled).median;
    }
    return all;
}

/* The median of what the runs have, where they have anything. */
static double median_known(double *values, int count)
{
    int known = 0;
    for (int i = 0; i < count; i++)
        if (values[i] > 0)
            values[known++] = values[i];
    return known ? bench_statistics_of(values, known).median : 0;
}

/* Merges all runs into run[0]. */
static enum topo_status merge_runs(struct bench_report **run, int runs)
{
    struct bench_report *into = run[0];
    const struct bench_result **found = topo_calloc((size_t)runs, sizeof *found);
    double *values = topo_calloc((size_t)runs, sizeof *values);
    enum topo_status status = found && values ? TOPO_OK : TOPO_NOMEM;
    for (int i = 0; status == TOPO_OK && i < into->sizes; i++) {
        size_t bytes = into->size[i].bytes;
        for (int a = 0; a < into->algorithms; a++) {
            int count = results_of(run, runs, bytes, into->algorithm[a], found);
            into->size[i].result[a] = merged(found, count, values);
        }
        for (int r = 0; r < runs; r++) {
            int size = find_size(run[r], bytes);
            values[r] = size < 0 ? 0 : run[r]->size[size].bound;
        }
        into->size[i].bound = median_known(values, runs);
    }
    for (int l = 0; status == TOPO_OK && l < into->levels; l++) {
        for (int r = 0; r < runs; r++)
            values[r] = l < run[r]->levels ? run[r]->level[l].measured : 0;
        into->level[l].measured = median_known(values, runs);
    }
    into->runs = runs;
    topo_free(found);
    topo_free(values);
    return status;
}

enum topo_status bench_merge(struct bench_report **report, int *count)
{
    enum topo_status status = TOPO_OK;
    int kept = 0;
    for (int first = 0; first < *count && status == TOPO_OK; first = kept) {
        int runs = 1, rest = first + 1;
        /* The runs of one thing behind each other, in their order. */
        for (int i = first + 1; i < *count; i++) {
            struct bench_report *next = report[i];
            if (!of_one_thing(report[first], next))
                continue;
            memmove(report + rest + 1, report + rest, (size_t)(i - rest) * sizeof *report);
            report[rest++] = next;
            runs++;
        }
        if (runs > 1)
            status = merge_runs(report + first, runs);
        for (int i = first + 1; i < rest; i++)
            bench_report_free(report[i]);
        memmove(report + first + 1, report + rest, (size_t)(*count - rest) * sizeof *report);
        *count -= runs - 1;
        kept = first + 1;
    }
    return status;
}
