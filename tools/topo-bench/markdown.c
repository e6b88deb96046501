#include "topo-bench/markdown.h"

#include <string.h>

#include "topo-bench/rates.h"

static bool is_native(const char *name)
{
    return !strncmp(name, "native", 6);
}

/* The fastest of the native ones, or of ours without auto, at a size; -1: none was measured. */
static int fastest(const struct bench_report *report, int size, bool native)
{
    int best = -1;
    for (int a = 0; a < report->algorithms; a++) {
        const char *name = report->algorithm[a];
        double seconds = bench_report_seconds(report, size, a);
        if (is_native(name) != native || !strcmp(name, "auto") || seconds <= 0)
            continue;
        if (best < 0 || seconds < bench_report_seconds(report, size, best))
            best = a;
    }
    return best;
}

/* Times between 1 us and minutes with three digits that mean something. */
static void add_time(struct topo_text *out, double seconds)
{
    double us = seconds * 1e6;
    if (us <= 0)
        topo_text_add(out, " -");
    else
        topo_text_addf(out, us < 100 ? " %.1f" : " %.0f", us);
}

static void add_size(struct topo_text *out, size_t bytes)
{
    char size[32];
    topo_format_size(bytes, size, sizeof size);
    topo_text_add(out, size);
}

/* The links, as nominal and measured rates. */
static void add_links(const struct bench_report *report, struct topo_text *out)
{
    const char *separator = "";
    for (int l = 0; l < report->levels; l++) {
        const struct bench_level *level = &report->level[l];
        if (level->nominal <= 0 && level->measured <= 0)
            continue;
        topo_text_addf(out, "%s%s ", separator, level->name);
        if (level->nominal > 0) {
            bench_rate_write(level->nominal, out);
            topo_text_add(out, " nominal");
        }
        if (level->measured > 0) {
            topo_text_add(out, level->nominal > 0 ? ", " : "");
            bench_rate_write(level->measured, out);
            topo_text_add(out, " measured");
        }
        separator = "; ";
    }
}

/* Every size that any of the reports of one operation has, ascending; `after` is the last one shown. */
static bool next_size(struct bench_report *const *reports, int count, const char *operation, size_t *after)
{
    size_t next = 0;
    for (int r = 0; r < count; r++)
        for (int i = 0; i < reports[r]->sizes && !strcmp(reports[r]->operation, operation); i++) {
            size_t bytes = reports[r]->size[i].bytes;
            if (bytes > *after && (next == 0 || bytes < next))
                next = bytes;
        }
    *after = next;
    return next > 0;
}

/* How many times faster auto is than the fastest native at this size. */
static void add_speedup(const struct bench_report *report, size_t bytes, struct topo_text *out)
{
    for (int i = 0; i < report->sizes; i++) {
        if (report->size[i].bytes != bytes)
            continue;
        double ratio = bench_ratio(bench_report_seconds(report, i, fastest(report, i, true)),
                                   bench_report_seconds(report, i, bench_report_find(report, "auto")));
        if (ratio > 0) {
            topo_text_addf(out, ratio > 1.05 ? " **%.2f** |" : " %.2f |", ratio);
            return;
        }
    }
    topo_text_add(out, " - |");
}

static void summary(struct bench_report *const *reports, int count, const char *operation, struct topo_text *out)
{
    size_t bytes = 0;
    bool has_auto = false;
    for (int r = 0; r < count; r++)
        has_auto =
            has_auto || (!strcmp(reports[r]->operation, operation) && bench_report_find(reports[r], "auto") >= 0);
    if (!has_auto)
        return;
    topo_text_addf(out, "\n### %s: how many times faster than the fastest native\n\n", operation);
    topo_text_add(out, "What the library takes by itself (`auto`) against the faster of the MPI library's own; "
                       "1.00 is as fast.\n\n| cluster | placement |");
    while (next_size(reports, count, operation, &bytes)) {
        topo_text_add(out, " ");
        add_size(out, bytes);
        topo_text_add(out, " |");
    }
    topo_text_add(out, "\n|---|---|");
    for (bytes = 0; next_size(reports, count, operation, &bytes);)
        topo_text_add(out, "---:|");
    topo_text_add(out, "\n");
    for (int r = 0; r < count; r++) {
        if (strcmp(reports[r]->operation, operation))
            continue;
        topo_text_addf(out, "| %s | %s |", *reports[r]->label ? reports[r]->label : reports[r]->node_ranks,
                       reports[r]->placement);
        for (bytes = 0; next_size(reports, count, operation, &bytes);)
            add_speedup(reports[r], bytes, out);
        topo_text_add(out, "\n");
    }
}

/* One report: chart and table. */
static void section(const struct bench_report *report, const char *chart, struct topo_text *out)
{
    int automatic = bench_report_find(report, "auto");
    topo_text_addf(out, "\n### %s%s%s, %s\n\n", report->label, *report->label ? ": " : "", report->operation,
                   report->placement);
    bench_report_describe(report, out);
    topo_text_addf(out, "; %s; %s. Links: ", report->data, report->mpi);
    add_links(report, out);
    topo_text_addf(out, ".\n\n![%s, %s](%s)\n\n", report->operation, report->placement, chart);
    topo_text_add(out, "| bytes |");
    for (int a = 0; a < report->algorithms; a++)
        if (is_native(report->algorithm[a]))
            topo_text_addf(out, " %s |", report->algorithm[a]);
    topo_text_add(out, " auto | it took | fastest of ours | bound | auto/bound |\n|---:|");
    for (int a = 0; a < report->algorithms; a++)
        if (is_native(report->algorithm[a]))
            topo_text_add(out, "---:|");
    topo_text_add(out, "---:|---|---|---:|---:|\n");
    for (int i = 0; i < report->sizes; i++) {
        const struct bench_size *size = &report->size[i];
        int ours = fastest(report, i, false);
        double seconds = bench_report_seconds(report, i, automatic), ratio = bench_ratio(seconds, size->bound);
        topo_text_add(out, "| ");
        add_size(out, size->bytes);
        topo_text_add(out, " |");
        for (int a = 0; a < report->algorithms; a++) {
            if (!is_native(report->algorithm[a]))
                continue;
            add_time(out, bench_report_seconds(report, i, a));
            topo_text_add(out, " |");
        }
        add_time(out, seconds);
        topo_text_addf(out, " | %s |", size->took ? size->took : "");
        if (ours >= 0) {
            add_time(out, bench_report_seconds(report, i, ours));
            topo_text_addf(out, " %s", report->algorithm[ours]);
        } else {
            topo_text_add(out, " -");
        }
        topo_text_add(out, " |");
        add_time(out, size->bound);
        topo_text_addf(out, ratio > 0 ? " | %.2f |\n" : " | - |\n", ratio);
    }
}

void bench_markdown(struct bench_report *const *reports, const char *const *charts, int count, const char *command,
                    struct topo_text *out)
{
    topo_text_add(out, "# Performance\n\n");
    if (command)
        topo_text_addf(out,
                       "This page and its charts are written by\n\n    %s\n\nand not by hand; run it to repeat "
                       "everything here.\n\n",
                       command);
    topo_text_addf(
        out,
        "All implementations are called in turn within one run of `topo-bench`, each result is checked bit for bit. "
        "Times are microseconds per call, the %s of the samples; a sample is a number of calls in a row and lasts "
        "until its slowest rank is done. `native` is what "
        "the MPI library does by itself, `native:COMPONENT` the same with that component of Open MPI preferred, `auto` "
        "what this library chooses. The bound is the time that the bytes which every algorithm must bring through the "
        "busiest link take at the link's measured rate.\n",
        count > 0 && reports[0]->statistic == BENCH_MINIMUM ? "minimum" : "median");
    topo_text_add(out, "\n## Summary\n");
    for (int r = 0; r < count; r++) {
        bool seen = false;
        for (int before = 0; before < r; before++)
            seen = seen || !strcmp(reports[before]->operation, reports[r]->operation);
        if (!seen)
            summary(reports, count, reports[r]->operation, out);
    }
    topo_text_add(out, "\n## Every run\n");
    for (int r = 0; r < count; r++)
        section(reports[r], charts[r], out);
}
