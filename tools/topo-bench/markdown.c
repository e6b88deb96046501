#include "topo-bench/markdown.h"

#include <string.h>

#include "topo-bench/rates.h"

void bench_add_time(struct topo_text *out, double seconds)
{
    double us = seconds * 1e6;
    if (us <= 0)
        topo_text_add(out, " -");
    else
        topo_text_addf(out, us < 100 ? " %.1f" : " %.0f", us);
}

/* A ratio's cell, a dash where it is not known. */
static void add_ratio(struct topo_text *out, double ratio)
{
    topo_text_addf(out, ratio > 0 ? " %.2f |" : " - |", ratio);
}

/* The links, as nominal and measured rates. */
static void add_links(const struct bench_report *report, struct topo_text *out)
{
    const char *separator = "; links: ";
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

/* What went wrong with one algorithm at one size, after its time or instead of it. */
static const char *trouble(const struct bench_result *result)
{
    return result->wrong ? " **wrong result**" : result->failed ? " **MPI error**" : "";
}

/* One size: every native, auto, the best of ours, the bound. */
static void table_row(const struct bench_report *report, int size, struct topo_text *out)
{
    const struct bench_size *s = &report->size[size];
    int automatic = bench_report_find(report, "auto"), ours = bench_report_fastest(report, size, false);
    double seconds = bench_report_seconds(report, size, automatic);
    double native = bench_report_seconds(report, size, bench_report_fastest(report, size, true));
    char bytes[32];
    topo_format_size(s->bytes, bytes, sizeof bytes);
    topo_text_addf(out, "| %s |", bytes);
    for (int a = 0; a < report->algorithms; a++) {
        if (!bench_is_native(report->algorithm[a]))
            continue;
        bench_add_time(out, bench_report_seconds(report, size, a));
        topo_text_addf(out, "%s |", trouble(&s->result[a]));
    }
    bench_add_time(out, seconds);
    topo_text_addf(out, "%s | %s |", automatic < 0 ? "" : trouble(&s->result[automatic]), s->took ? s->took : "");
    bench_add_time(out, bench_report_seconds(report, size, ours));
    topo_text_addf(out, "%s%s |", ours < 0 ? "" : " ", ours < 0 ? "" : report->algorithm[ours]);
    bench_add_time(out, s->bound);
    topo_text_add(out, " |");
    add_ratio(out, bench_ratio(seconds, native));
    add_ratio(out, bench_ratio(seconds, s->bound));
    topo_text_add(out, "\n");
}

/* Algorithms of ours that are not in the table and went wrong: they must not pass unseen. */
static void list_trouble(const struct bench_report *report, struct topo_text *out)
{
    for (int i = 0; i < report->sizes; i++)
        for (int a = 0; a < report->algorithms; a++)
            if (*trouble(&report->size[i].result[a]))
                topo_text_addf(out, "\n%s at %zu bytes:%s.\n", report->algorithm[a], report->size[i].bytes,
                               trouble(&report->size[i].result[a]));
}

/* One report: chart and table. */
static void section(const struct bench_report *report, const char *chart, struct topo_text *out)
{
    topo_text_addf(out, "\n### %s%s%s, %s\n\n", report->operation, *report->label ? ", " : "", report->label,
                   report->placement);
    bench_report_describe(report, out);
    topo_text_addf(out, "; %s; %s", report->data, report->mpi);
    if (report->runs > 1)
        topo_text_addf(out, "; %d runs", report->runs);
    add_links(report, out);
    topo_text_addf(out, ".\n\n![%s, %s](%s)\n\n| bytes |", report->operation, report->placement, chart);
    for (int a = 0; a < report->algorithms; a++)
        if (bench_is_native(report->algorithm[a]))
            topo_text_addf(out, " %s |", report->algorithm[a]);
    topo_text_add(out, " auto | it took | best of ours | bound | auto/native | auto/bound |\n|---:|");
    for (int a = 0; a < report->algorithms; a++)
        if (bench_is_native(report->algorithm[a]))
            topo_text_add(out, "---:|");
    topo_text_add(out, "---:|---|---|---:|---:|---:|\n");
    for (int i = 0; i < report->sizes; i++)
        table_row(report, i, out);
    list_trouble(report, out);
}

static int most_runs(const struct bench_page *page)
{
    int most = 0;
    for (int i = 0; i < page->count; i++)
        most = page->report[i]->runs > most ? page->report[i]->runs : most;
    return most;
}

static void introduction(const struct bench_page *page, struct topo_text *out)
{
    topo_text_add(out, "# Performance\n\n");
    if (page->command)
        topo_text_addf(out,
                       "This page and its charts are written by\n\n    %s\n\nand not by hand; run it to repeat "
                       "everything here.\n\n",
                       page->command);
    topo_text_addf(
        out,
        "What a user gets who sets `LD_PRELOAD` and nothing else is the column `auto`: the library chooses, and `it "
        "took` says what. `native` is what the MPI library does by itself, `native:han` the same with Open MPI's "
        "component HAN preferred. `best of ours` is the fastest single algorithm of this library at that size; where "
        "it is well below `auto`, the choice was not the best one.\n\n"
        "All of them are called in turn within one run of `topo-bench`, so that a busy moment of the machine hurts "
        "all alike, and every result is checked bit for bit. Times are microseconds per call, the %s of the samples; "
        "a sample is a number of calls in a row and lasts until its slowest rank is done. Differences of a few per "
        "cent are noise. The bound is the time that the bytes which every algorithm must bring through the busiest "
        "link take at the link's measured rate; short messages are bound by latency instead, and lie far above it. "
        "[BENCHMARKS.md](../BENCHMARKS.md) tells how the clusters are emulated and what that leaves out.\n",
        page->count > 0 && page->report[0]->statistic == BENCH_MINIMUM ? "minimum" : "median");
    if (most_runs(page) > 1)
        topo_text_add(out, "\nA time of several runs is the median of the runs' medians.\n");
    for (int i = 0; i < page->notes; i++)
        topo_text_addf(out, "%s- %s\n", i ? "" : "\n", page->note[i]);
}

bool bench_in_list(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = list; p && *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == length && !strncmp(p, word, length))
            return true;
    return false;
}

void bench_markdown(const struct bench_page *page, struct topo_text *out)
{
    introduction(page, out);
    topo_text_add(out, "\n## Summary\n");
    for (int r = 0; r < page->count; r++)
        if (r == 0 || strcmp(page->report[r - 1]->operation, page->report[r]->operation) != 0)
            bench_summary(page, page->report[r]->operation, out);
    topo_text_add(out, "\n## Every run\n");
    for (int r = 0; r < page->count; r++)
        if (!bench_in_list(page->summary, page->report[r]->operation))
            section(page->report[r], page->chart[r], out);
}
