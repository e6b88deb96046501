#include <string.h>

#include "common/svg.h"
#include "topo-predict/report.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>topo-predict</title>\n<style>\n"
    "body{font:15px/1.45 system-ui,sans-serif;margin:0 auto;max-width:1100px;padding:12px;color:#222}\n"
    "h1{font-size:1.4em;margin:.4em 0}h2{font-size:1.15em;margin:1.2em 0 .4em;border-bottom:1px solid #ccc}\n"
    "details{border-left:3px solid #ddd;margin:.5em 0;padding-left:10px}summary{cursor:pointer;padding:4px 0}\n"
    ".bar{display:flex;height:16px;border-radius:3px;overflow:hidden;background:#eee;margin:3px 0}\n"
    ".bar span{height:100%;min-width:0}.key span{display:inline-block;margin-right:14px}\n"
    ".key i{display:inline-block;width:11px;height:11px;margin-right:5px;border-radius:2px}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;margin:.5em 0;font-size:13px}\n"
    "th,td{border:1px solid #ddd;padding:2px 7px;text-align:right;white-space:nowrap}th:first-child,td:first-child"
    "{text-align:left;position:sticky;left:0;background:#fff}thead th{background:#f4f4f4}\n"
    ".note{color:#a00}.muted{color:#666;font-size:13px}nav a{margin-right:12px}\n</style></head><body>\n";

/* Seconds with a unit that fits. */
static void add_time(struct topo_text *out, double seconds)
{
    double size = seconds < 0 ? -seconds : seconds;
    if (size == 0)
        topo_text_add(out, "0");
    else if (size < 1e-3)
        topo_text_addf(out, "%.1f µs", seconds * 1e6);
    else if (size < 1)
        topo_text_addf(out, "%.3f ms", seconds * 1e3);
    else
        topo_text_addf(out, "%.3f s", seconds);
}

static void add_name(const struct topo_interval *interval, struct topo_text *out)
{
    struct topo_text name = {0};
    report_name(interval, &name);
    if (name.failed)
        out->failed = true;
    else
        svg_escape(out, name.text);
    topo_text_free(&name);
}

static void add_bar(const struct topo_interval *interval, struct topo_text *out)
{
    struct report_part parts[REPORT_PARTS];
    report_parts(interval, parts);
    topo_text_add(out, "<div class=\"bar\">");
    for (int i = 0; i < REPORT_PARTS && interval->total > 0; i++)
        if (parts[i].seconds > 0) {
            double percent = 100 * parts[i].seconds / interval->total;
            topo_text_addf(out, "<span style=\"width:%.3f%%;background:%s\" title=\"%s %.1f %%\"></span>", percent,
                           parts[i].colour, parts[i].name, percent);
        }
    topo_text_add(out, "</div>\n");
}

/* All characteristics, a column a processor. */
static void add_table(const struct topo_interval *interval, int processors, struct topo_text *out)
{
    int count;
    const struct topo_metric *metrics = topo_metrics(&count);
    topo_text_add(out, "<details><summary>Characteristics of every processor</summary><div class=\"scroll\"><table>"
                       "<thead><tr><th></th><th>sum</th>");
    for (int p = 0; p < processors; p++)
        if (interval->times[p].took_part)
            topo_text_addf(out, "<th>%d</th>", p);
    topo_text_add(out, "</tr></thead>\n");
    for (int i = 0; i < count; i++) {
        topo_text_addf(out, "<tr><td>%s</td><td>", metrics[i].label);
        add_time(out, topo_metric_value(&metrics[i], &interval->sum));
        topo_text_add(out, "</td>");
        for (int p = 0; p < processors; p++)
            if (interval->times[p].took_part) {
                topo_text_add(out, "<td>");
                add_time(out, topo_metric_value(&metrics[i], &interval->times[p]));
                topo_text_add(out, "</td>");
            }
        topo_text_add(out, "</tr>\n");
    }
    topo_text_add(out, "</table></div></details>\n");
}

static void add_interval(const struct report *report, const struct topo_interval *interval, int processors,
                         struct topo_text *out)
{
    struct report_part parts[REPORT_PARTS];
    if (report->depth >= 0 && interval->level > report->depth)
        return;
    report_parts(interval, parts);
    topo_text_addf(out, "<details%s><summary><b>", interval->level < 2 ? " open" : "");
    add_name(interval, out);
    topo_text_add(out, "</b> — ");
    add_time(out, interval->execution);
    topo_text_addf(out, ", efficiency %.2f", interval->efficiency);
    add_bar(interval, out);
    topo_text_addf(out, "</summary>\n<p class=\"muted\">entered %ld, %d processors; total ", interval->entries,
                   interval->processors);
    add_time(out, interval->total);
    for (int i = 0; i < REPORT_PARTS; i++) {
        topo_text_addf(out, ", %s ", parts[i].name);
        add_time(out, parts[i].seconds);
    }
    topo_text_add(out, "; productive CPU ");
    add_time(out, interval->productive_cpu);
    topo_text_add(out, ", system ");
    add_time(out, interval->productive_sys);
    topo_text_add(out, ", I/O ");
    add_time(out, interval->productive_io);
    topo_text_add(out, "; operations:");
    for (int kind = 0; kind < TOPO_COMM_KINDS; kind++)
        topo_text_addf(out, " %s %ld", topo_comm_kind_name(kind), interval->operations[kind]);
    topo_text_add(out, "</p>\n");
    add_table(interval, processors, out);
    for (int i = 0; i < interval->child_count; i++)
        add_interval(report, interval->children[i], processors, out);
    topo_text_add(out, "</details>\n");
}

/* One interval in every prediction; the shortest, and what looks like it, is in bold. */
static void html_row(const struct report *report, const struct topo_interval *const *interval, struct topo_text *out)
{
    double least = interval[0]->execution;
    for (int k = 0; k < report->count; k++)
        if (interval[k] && interval[k]->execution < least)
            least = interval[k]->execution;
    topo_text_addf(out, "<tr><td style=\"padding-left:%dpx\">", 7 + 12 * interval[0]->level);
    add_name(interval[0], out);
    topo_text_add(out, "</td>");
    for (int k = 0; k < report->count; k++) {
        bool best = interval[k] && interval[k]->execution <= least * 1.0005;
        topo_text_add(out, best ? "<td><b>" : "<td>");
        if (interval[k])
            add_time(out, interval[k]->execution);
        else
            topo_text_add(out, "–");
        topo_text_add(out, best ? "</b></td>" : "</td>");
    }
    topo_text_add(out, "</tr>\n");
}

/* The intervals of all predictions side by side, numbered as in the summary. */
static void add_interval_comparison(const struct report *report, struct topo_text *out)
{
    topo_text_add(out, "<h2 id=\"intervals\">Intervals</h2>\n<div class=\"scroll\"><table><thead><tr><th>time</th>");
    for (int i = 0; i < report->count; i++) {
        topo_text_addf(out, "<th><a href=\"#p%d\" title=\"", i);
        svg_escape(out, report->predictions[i].label);
        topo_text_addf(out, "\">%d</a></th>", i + 1);
    }
    topo_text_add(out, "</tr></thead>\n");
    report_rows(report, html_row, out);
    topo_text_add(out, "</table></div>\n");
}

/* The predictions side by side. */
static void add_comparison(const struct report *report, struct topo_text *out)
{
    topo_text_add(out,
                  "<h2 id=\"summary\">Summary</h2>\n<div class=\"scroll\"><table><thead><tr><th>machine</th>"
                  "<th>processors</th><th>time</th><th>efficiency</th><th>productive</th><th>lost: parallelism</th>"
                  "<th>communication</th><th>synchronization</th><th>idle</th></tr></thead>\n");
    for (int i = 0; i < report->count; i++) {
        const struct topo_interval *root = report->predictions[i].intervals.root;
        struct report_part parts[REPORT_PARTS];
        report_parts(root, parts);
        topo_text_addf(out, "<tr><td>%d. <a href=\"#p%d\">", i + 1, i);
        svg_escape(out, report->predictions[i].label);
        topo_text_addf(out, "</a></td><td>%d</td><td>", root->processors);
        add_time(out, root->execution);
        topo_text_addf(out, "</td><td>%.3f</td>", root->efficiency);
        for (int k = 0; k < REPORT_PARTS; k++) {
            topo_text_add(out, "<td>");
            add_time(out, parts[k].seconds);
            topo_text_add(out, "</td>");
        }
        topo_text_add(out, "</tr>\n");
    }
    topo_text_add(out, "</table></div>\n<p class=\"key\">");
    struct report_part parts[REPORT_PARTS];
    report_parts(report->predictions[0].intervals.root, parts);
    for (int k = 0; k < REPORT_PARTS; k++)
        topo_text_addf(out, "<span><i style=\"background:%s\"></i>%s</span>", parts[k].colour, parts[k].name);
    topo_text_add(out, "</p>\n");
}

void report_html(const struct report *report, struct topo_text *out)
{
    topo_text_add(out, head);
    topo_text_add(out, "<h1>Prediction of ");
    svg_escape(out, report->source);
    topo_text_add(out, "</h1>\n");
    for (int i = 0; i < report->notes->kept; i++) {
        topo_text_addf(out, "<p class=\"%s\">", report->notes->list[i].is_error ? "note" : "muted");
        svg_escape(out, report->notes->list[i].text);
        topo_text_add(out, "</p>\n");
    }
    add_comparison(report, out);
    if (report->count > 1)
        add_interval_comparison(report, out);
    for (int i = 0; i < report->count; i++) {
        topo_text_addf(out, "<h2 id=\"p%d\">", i);
        svg_escape(out, report->predictions[i].label);
        topo_text_add(out, "</h2>\n");
        add_interval(report, report->predictions[i].intervals.root, report->predictions[i].intervals.processors, out);
        topo_text_add(out, "<nav><a href=\"#summary\">summary</a>");
        if (i + 1 < report->count)
            topo_text_addf(out, "<a href=\"#p%d\">next</a>", i + 1);
        topo_text_add(out, "</nav>\n");
    }
    topo_text_add(out, "</body></html>\n");
}
