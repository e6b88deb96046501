#include <string.h>

#include "topo-bench/rates.h"
#include "topo-bench/report.h"

/* What was run, where, and the links: both forms begin with it. */
static void describe(const struct bench_report *report, struct topo_text *out)
{
    topo_text_addf(out, "# %s, %s: ", report->operation, report->data);
    bench_report_describe(report, out);
    topo_text_addf(out, "; %s%s%s\n", report->mpi, *report->label ? ", " : "", report->label);
    for (int l = 0; l < report->levels; l++) {
        const struct bench_level *level = &report->level[l];
        topo_text_addf(out, "# link of a %s (%d): ", level->name, level->units);
        if (level->nominal > 0) {
            bench_rate_write(level->nominal, out);
            topo_text_add(out, " nominal");
        }
        if (level->measured > 0) {
            topo_text_add(out, level->nominal > 0 ? ", " : "");
            bench_rate_write(level->measured, out);
            topo_text_add(out, " measured");
        }
        topo_text_add(out, level->nominal > 0 || level->measured > 0 ? "\n" : "rate not known\n");
    }
}

void bench_table_heading(const struct bench_report *report, struct topo_text *out)
{
    describe(report, out);
    topo_text_addf(out, "# times in microseconds; ratios: %s over native's, over the bound\n",
                   report->statistic == BENCH_MEDIAN ? "median" : "minimum");
    topo_text_addf(out, "%10s  %-28s %11s %11s %11s %8s %11s %8s\n", "bytes", "algorithm", "min", "median", "max",
                   "/native", "bound", "/bound");
}

/* A ratio, or a dash where it is not known. */
static void add_ratio(struct topo_text *out, double ratio)
{
    if (ratio > 0)
        topo_text_addf(out, " %8.2f", ratio);
    else
        topo_text_addf(out, " %8s", "-");
}

void bench_table_size(const struct bench_report *report, int size, struct topo_text *out)
{
    const struct bench_size *s = &report->size[size];
    double native = bench_report_seconds(report, size, bench_report_find(report, "native"));
    for (int a = 0; a < report->algorithms; a++) {
        const struct bench_result *result = &s->result[a];
        struct topo_text name = {0};
        topo_text_add(&name, report->algorithm[a]);
        if (s->took && !strcmp(report->algorithm[a], "auto"))
            topo_text_addf(&name, " (%s)", s->took);
        if (a == 0)
            topo_text_addf(out, "%10zu", s->bytes);
        topo_text_addf(out, a ? "%10s  %-28s " : "%s  %-28s ", "", name.failed ? "" : name.text);
        topo_text_free(&name);
        if (!result->seconds.count) {
            topo_text_add(out, result->failed ? "FAILED: MPI error\n" : "does not apply\n");
            continue;
        }
        double seconds = bench_report_seconds(report, size, a);
        topo_text_addf(out, "%11.1f %11.1f %11.1f", result->seconds.min * 1e6, result->seconds.median * 1e6,
                       result->seconds.max * 1e6);
        add_ratio(out, bench_ratio(seconds, native));
        if (s->bound > 0)
            topo_text_addf(out, " %11.1f", s->bound * 1e6);
        else
            topo_text_addf(out, " %11s", "-");
        add_ratio(out, bench_ratio(seconds, s->bound));
        topo_text_add(out, result->batch ? "" : "  one call");
        if (result->ran)
            topo_text_addf(out, "  ran: %s", result->ran);
        if (result->first.count)
            topo_text_addf(out, "  first call %.1f", result->first.median * 1e6);
        topo_text_add(out, result->failed ? "  FAILED: MPI error" : "");
        topo_text_add(out, result->wrong ? "  WRONG RESULT\n" : "\n");
    }
}

/* Columns are as wide as their heads, and no narrower than a time. */
static int width_of(const char *algorithm)
{
    const int least = 12;
    int length = (int)strlen(algorithm);
    return length < least ? least : length;
}

void bench_columns_heading(const struct bench_report *report, struct topo_text *out)
{
    describe(report, out);
    topo_text_addf(out, "# %s of the samples in microseconds\n%-10s",
                   report->statistic == BENCH_MEDIAN ? "median" : "minimum", "# Size");
    for (int a = 0; a < report->algorithms; a++)
        topo_text_addf(out, "  %*s", width_of(report->algorithm[a]), report->algorithm[a]);
    topo_text_add(out, "\n");
}

void bench_columns_size(const struct bench_report *report, int size, struct topo_text *out)
{
    topo_text_addf(out, "%-10zu", report->size[size].bytes);
    for (int a = 0; a < report->algorithms; a++) {
        const struct bench_result *result = &report->size[size].result[a];
        int width = width_of(report->algorithm[a]);
        if (result->failed || result->wrong)
            topo_text_addf(out, "  %*s", width, result->failed ? "FAILED" : "WRONG");
        else if (!result->seconds.count)
            topo_text_addf(out, "  %*s", width, "-");
        else
            topo_text_addf(out, "  %*.2f", width, bench_report_seconds(report, size, a) * 1e6);
    }
    topo_text_add(out, "\n");
}
