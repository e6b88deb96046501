#include "topo-bench/report.h"

#include <string.h>

#include "base/memory.h"

struct bench_report *bench_report_new(int levels, int algorithms, int sizes)
{
    struct bench_report *r = topo_calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->levels = levels;
    r->algorithms = algorithms;
    r->level = topo_calloc((size_t)levels, sizeof *r->level);
    r->algorithm = topo_calloc((size_t)algorithms, sizeof *r->algorithm);
    r->size = topo_calloc((size_t)sizes, sizeof *r->size);
    if (!r->level || !r->algorithm || !r->size)
        goto nomem;
    for (; r->sizes < sizes; r->sizes++) {
        r->size[r->sizes].result = topo_calloc((size_t)algorithms, sizeof(struct bench_result));
        if (!r->size[r->sizes].result)
            goto nomem;
    }
    return r;
nomem:
    bench_report_free(r);
    return NULL;
}

void bench_report_free(struct bench_report *report)
{
    if (!report)
        return;
    for (int i = 0; report->level && i < report->levels; i++)
        topo_free(report->level[i].name);
    for (int i = 0; report->algorithm && i < report->algorithms; i++)
        topo_free(report->algorithm[i]);
    for (int i = 0; report->size && i < report->sizes; i++) {
        topo_free_all(report->size[i].bound_level, report->size[i].took, report->size[i].result);
    }
    topo_free_all(report->level, report->algorithm, report->size, report->operation, report->label, report->mpi,
                  report->node_ranks, report->placement, report->data, report);
}

int bench_report_find(const struct bench_report *report, const char *algorithm)
{
    for (int i = 0; i < report->algorithms; i++)
        if (!strcmp(report->algorithm[i], algorithm))
            return i;
    return -1;
}

double bench_report_seconds(const struct bench_report *report, int size, int algorithm)
{
    return algorithm < 0 ? 0 : bench_statistic(&report->size[size].result[algorithm].seconds, report->statistic);
}

bool bench_is_native(const char *algorithm)
{
    return !strncmp(algorithm, "native", 6);
}

bool bench_is_loop(const char *algorithm)
{
    return !strncmp(algorithm, "unscheduled", 11) || !strncmp(algorithm, "shifted", 7);
}

int bench_report_fastest(const struct bench_report *report, int size, bool native)
{
    int best = -1;
    for (int a = 0; a < report->algorithms; a++) {
        const struct bench_result *result = &report->size[size].result[a];
        double seconds = bench_report_seconds(report, size, a);
        if (bench_is_native(report->algorithm[a]) != native || !strcmp(report->algorithm[a], "auto") ||
            bench_is_loop(report->algorithm[a]) || !result->batch || result->wrong || result->failed || seconds <= 0)
            continue;
        if (best < 0 || seconds < bench_report_seconds(report, size, best))
            best = a;
    }
    return best;
}

void bench_report_describe(const struct bench_report *report, struct topo_text *out)
{
    topo_text_addf(out, "%d rank%s on %d node%s (%s), %s", report->ranks, topo_plural(report->ranks), report->nodes,
                   topo_plural(report->nodes), report->node_ranks, report->placement);
    if (report->split > 1)
        topo_text_addf(out, ", %d communicators at once", report->split);
}
