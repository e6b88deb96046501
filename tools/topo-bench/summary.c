#include <math.h>
#include <string.h>

#include "topo-bench/markdown.h"

/* What a cell of a summary's table shows of a report at a size; 0: not known. */
typedef double figure(const struct bench_report *report, int size);

static double against_native(const struct bench_report *report, int size)
{
    return bench_ratio(bench_report_seconds(report, size, bench_report_find(report, "auto")),
                       bench_report_seconds(report, size, bench_report_fastest(report, size, true)));
}

static double against_bound(const struct bench_report *report, int size)
{
    return bench_ratio(bench_report_seconds(report, size, bench_report_find(report, "auto")), report->size[size].bound);
}

static bool has_bound(const struct bench_report *report)
{
    for (int i = 0; i < report->sizes; i++)
        if (against_bound(report, i) > 0)
            return true;
    return false;
}

static bool is_of(const struct bench_report *report, const char *operation)
{
    return !strcmp(report->operation, operation) && bench_report_find(report, "auto") >= 0;
}

/* Every size that any of the operation's reports has, ascending; *after is the last one shown. */
static bool next_size(const struct bench_page *page, const char *operation, size_t *after)
{
    size_t next = 0;
    for (int r = 0; r < page->count; r++)
        for (int i = 0; i < page->report[r]->sizes && is_of(page->report[r], operation); i++) {
            size_t bytes = page->report[r]->size[i].bytes;
            if (bytes > *after && (next == 0 || bytes < next))
                next = bytes;
        }
    *after = next;
    return next > 0;
}

static void heading(const struct bench_page *page, const char *operation, bool mean, struct topo_text *out)
{
    topo_text_add(out, "\n| cluster | placement |");
    for (size_t bytes = 0; next_size(page, operation, &bytes);) {
        char size[32];
        topo_format_size(bytes, size, sizeof size);
        topo_text_addf(out, " %s |", size);
    }
    topo_text_add(out, mean ? " geometric mean |\n|---|---|" : "\n|---|---|");
    for (size_t bytes = 0; next_size(page, operation, &bytes);)
        topo_text_add(out, "---:|");
    topo_text_add(out, mean ? "---:|\n" : "\n");
}

/* Geometric mean of what was added. */
struct mean {
    double logs;
    int count;
};

static void add_mean(struct topo_text *out, const struct mean *mean)
{
    if (mean->count)
        topo_text_addf(out, " %.2f |\n", exp(mean->logs / mean->count));
    else
        topo_text_add(out, " - |\n");
}

/* The cells of one report; those above `limit` stand out. */
static void row(const struct bench_page *page, const struct bench_report *report, figure *of, double limit,
                struct mean *mean, struct topo_text *out)
{
    topo_text_addf(out, "| %s | %s |", *report->label ? report->label : report->node_ranks, report->placement);
    for (size_t bytes = 0; next_size(page, report->operation, &bytes);) {
        double ratio = 0;
        for (int i = 0; i < report->sizes; i++)
            if (report->size[i].bytes == bytes)
                ratio = of(report, i);
        if (ratio > 0) {
            mean->logs += log(ratio);
            mean->count++;
        }
        topo_text_addf(out, ratio <= 0 ? " - |" : ratio > limit ? " **%.2f** |" : " %.2f |", ratio);
    }
}

/* The mean over all clusters of one placement, when there are several. */
static void placement_row(const struct bench_page *page, const char *operation, const char *placement,
                          struct topo_text *out)
{
    struct mean all = {0, 0};
    int reports = 0;
    for (int r = 0; r < page->count; r++) {
        const struct bench_report *report = page->report[r];
        if (!is_of(report, operation) || strcmp(report->placement, placement) != 0)
            continue;
        reports++;
        for (int i = 0; i < report->sizes; i++) {
            double ratio = against_native(report, i);
            all.logs += ratio > 0 ? log(ratio) : 0;
            all.count += ratio > 0;
        }
    }
    if (reports < 2)
        return;
    topo_text_addf(out, "| all | %s |", placement);
    for (size_t bytes = 0; next_size(page, operation, &bytes);)
        topo_text_add(out, " |");
    add_mean(out, &all);
}

/* How good auto's choice was: the time of the algorithm it took, as measured beside the others, over the time of the
 * fastest of all. Nothing where only auto and native ones were measured. */
static void regret(const struct bench_page *page, const char *operation, struct topo_text *out)
{
    struct mean mean = {0, 0};
    double largest = 0;
    int close = 0;
    for (int r = 0; r < page->count; r++) {
        const struct bench_report *report = page->report[r];
        for (int i = 0; i < report->sizes && is_of(report, operation); i++) {
            double native = bench_report_seconds(report, i, bench_report_fastest(report, i, true));
            double best = bench_report_seconds(report, i, bench_report_fastest(report, i, false));
            const char *took = report->size[i].took ? report->size[i].took : "";
            double taken = bench_report_seconds(report, i, bench_report_find(report, took));
            if (best <= 0 || taken <= 0)
                continue;
            best = native > 0 && native < best ? native : best;
            mean.logs += log(taken / best);
            mean.count++;
            largest = taken / best > largest ? taken / best : largest;
            close += taken <= 1.05 * best;
        }
    }
    if (mean.count)
        topo_text_addf(out,
                       "\nTime of the algorithm that `auto` took over that of the fastest of all: "
                       "geometric mean %.2f, at most %.2f, within 5 %% in %d of %d cases.\n",
                       exp(mean.logs / mean.count), largest, close, mean.count);
}

void bench_summary(const struct bench_page *page, const char *operation, struct topo_text *out)
{
    static const char *const placements[] = {"by slot", "by node", "mixed", "one node"};
    size_t any = 0;
    bool bound = false;
    if (!next_size(page, operation, &any))
        return;
    topo_text_addf(out,
                   "\n### %s\n\nTime of `auto` over the time of the fastest native, by size; below 1 is faster. "
                   "**Bold** where it is more than 5 %% slower.\n",
                   operation);
    heading(page, operation, true, out);
    for (int r = 0; r < page->count; r++) {
        struct mean mean = {0, 0};
        if (!is_of(page->report[r], operation))
            continue;
        row(page, page->report[r], against_native, 1.05, &mean, out);
        add_mean(out, &mean);
        bound = bound || has_bound(page->report[r]);
    }
    for (size_t p = 0; p < sizeof placements / sizeof *placements; p++)
        placement_row(page, operation, placements[p], out);
    regret(page, operation, out);
    if (!bound)
        return;
    topo_text_add(out, "\nTime of `auto` over the bound of the links:\n");
    heading(page, operation, false, out);
    for (int r = 0; r < page->count; r++) {
        struct mean mean = {0, 0};
        if (!is_of(page->report[r], operation) || !has_bound(page->report[r]))
            continue;
        row(page, page->report[r], against_bound, INFINITY, &mean, out);
        topo_text_add(out, "\n");
    }
}
