#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "common/json.h"
#include "topo-predict/report.h"

/* Where the processors' time of an interval went; the parts add up to its total time. */
enum { PARTS = 5 };
struct part {
    const char *name;
    double seconds;
};

/* In a run of MPI it is ranks that share cores (docs/PREDICT.md). */
static const char *word_of_sharing(const struct report *report)
{
    return report->native ? "waiting for a core" : "insufficient parallelism";
}

static void find_parts(const struct report *report, const struct topo_interval *interval, struct part parts[PARTS])
{
    const struct topo_times *sum = &interval->sum;
    parts[0] = (struct part){"productive", interval->productive};
    parts[1] = (struct part){word_of_sharing(report), sum->insufficient};
    parts[2] = (struct part){"communication", sum->communication};
    parts[3] = (struct part){"synchronization", sum->synchronization};
    parts[4] = (struct part){"idle", sum->idle};
}

/* "user solve, a.c:12 = 5"; appended. */
static void add_name(const struct topo_interval *interval, struct topo_text *out)
{
    topo_text_add(out,
                  interval->kind == TOPO_INTERVAL_PROGRAM ? "whole program" : topo_interval_kind_name(interval->kind));
    if (interval->name)
        topo_text_addf(out, " %s", interval->name);
    if (interval->file)
        topo_text_addf(out, "%s %s:%ld", interval->name ? "," : "", interval->file, interval->line);
    if (interval->has_value)
        topo_text_addf(out, " = %ld", interval->value);
}

/* Seconds of the intervals inside `outer`, of those that the report's depth leaves; returns how many. seconds may be
 * NULL. */
static int times_in(const struct report *report, const struct topo_interval *outer, double *seconds)
{
    int count = 0;
    for (int i = 0; i < outer->child_count && (report->depth < 0 || outer->level < report->depth); i++) {
        if (seconds)
            seconds[count] = outer->children[i]->execution;
        count++;
        count += times_in(report, outer->children[i], seconds ? seconds + count : NULL);
    }
    return count;
}

static int longest_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Intervals as long as this are shown: report->most of them beside the whole program, or more that are equally long.
 * What is inside an interval is no longer than it, so that those around one that is shown are shown, too. */
static double shown_from(const struct report *report, const struct topo_interval *root, struct topo_text *out)
{
    int count = times_in(report, root, NULL);
    if (report->most < 0 || count <= report->most)
        return 0;
    double *seconds = topo_alloc((size_t)count, sizeof *seconds), from = 0;
    if (seconds) {
        times_in(report, root, seconds);
        qsort(seconds, (size_t)count, sizeof *seconds, longest_first);
        from = report->most ? seconds[report->most - 1] : root->execution;
    }
    out->failed = out->failed || !seconds;
    topo_free(seconds);
    return from;
}

static void text_interval(const struct report *report, const struct topo_interval *interval, double from,
                          struct topo_text *out)
{
    struct part parts[PARTS];
    if ((report->depth >= 0 && interval->level > report->depth) || (interval->parent && interval->execution < from))
        return;
    find_parts(report, interval, parts);
    topo_text_addf(out, "%*s", 2 * interval->level, "");
    add_name(interval, out);
    topo_text_addf(out, "\n%*s  entered %ld, %d %s, %.6f s, efficiency %.3f\n%*s  total %.6f s:", 2 * interval->level,
                   "", interval->entries, interval->processors, report->native ? "ranks" : "processors",
                   interval->execution, interval->efficiency, 2 * interval->level, "", interval->total);
    for (int i = 0; i < PARTS; i++)
        topo_text_addf(out, "%s %s %.6f", i ? "," : "", parts[i].name, parts[i].seconds);
    topo_text_add(out, "\n");
    for (int i = 0; i < interval->child_count; i++)
        text_interval(report, interval->children[i], from, out);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* The interval inside `outer` that is the same one in the source as `like`; NULL: there is none. */
static const struct topo_interval *twin(const struct topo_interval *outer, const struct topo_interval *like)
{
    for (int i = 0; outer && i < outer->child_count; i++) {
        const struct topo_interval *one = outer->children[i];
        if (one->kind == like->kind && one->line == like->line && one->has_value == like->has_value &&
            one->value == like->value && same_text(one->name, like->name) && same_text(one->file, like->file))
            return one;
    }
    return NULL;
}

/* The interval of the first prediction, and those inside it down to the report's depth: interval[k] is the same one in
 * prediction k, NULL where it has none. */
static void text_row(const struct report *report, const struct topo_interval *const *interval, double from,
                     struct topo_text *out)
{
    for (int k = 0; k < report->count; k++) {
        if (interval[k])
            topo_text_addf(out, " %11.6f", interval[k]->execution);
        else
            topo_text_addf(out, " %11s", "-");
    }
    topo_text_addf(out, "  %*s", 2 * interval[0]->level, "");
    add_name(interval[0], out);
    topo_text_add(out, "\n");
    for (int i = 0; i < interval[0]->child_count; i++) {
        const struct topo_interval *inner[REPORT_MAX] = {interval[0]->children[i]};
        if ((report->depth >= 0 && inner[0]->level > report->depth) || inner[0]->execution < from)
            continue;
        for (int k = 1; k < report->count; k++)
            inner[k] = twin(interval[k], inner[0]);
        text_row(report, inner, from, out);
    }
}

/* The predictions side by side: a column each, the intervals' times in seconds. */
static void text_comparison(const struct report *report, struct topo_text *out)
{
    const struct topo_interval *root[REPORT_MAX];
    topo_text_add(out, "\n== comparison, seconds ==\n");
    for (int i = 0; i < report->count; i++)
        topo_text_addf(out, "%3d: %s\n", i + 1, report->predictions[i].label);
    for (int i = 0; i < report->count; i++)
        topo_text_addf(out, " %11d", i + 1);
    topo_text_add(out, "\n");
    for (int i = 0; i < report->count; i++)
        root[i] = report->predictions[i].intervals.root;
    text_row(report, root, shown_from(report, root[0], out), out);
}

/* "1 KiB" for a class of lengths, "vary" where a call has many. */
static void add_length(int length, char *text, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (length < 0)
        snprintf(text, size, "vary");
    else
        snprintf(text, size, "%d %s", 1 << length % 10, units[length / 10]);
}

/* Collective calls by operation and length, most time first; report->most of them. */
static void text_calls(const struct report *report, const struct topo_intervals *intervals, struct topo_text *out)
{
    const struct topo_call_times *calls = &intervals->calls;
    int shown = report->most >= 0 && report->most < calls->count ? report->most : calls->count;
    char length[24];
    if (calls->count)
        topo_text_addf(out, "%-24s %10s %10s %17s %17s %7s\n", "operation", "up to", "calls", "communication s",
                       "synchronization s", "% of all");
    for (int i = 0; i < shown; i++) {
        const struct topo_call_row *row = &calls->row[i];
        add_length(row->length, length, sizeof length);
        topo_text_addf(out, "%-24s %10s %10ld %17.6f %17.6f %7.1f\n", row->operation, length, row->calls,
                       row->communication, row->synchronization,
                       intervals->root->total > 0
                           ? 100 * (row->communication + row->synchronization) / intervals->root->total
                           : 0);
    }
    if (shown < calls->count)
        topo_text_addf(out, "and %d rows more\n", calls->count - shown);
}

void report_text(const struct report *report, struct topo_text *out)
{
    topo_text_addf(out, "%s\n", report->source);
    if (report->native)
        topo_text_addf(out, "native calls: as %s\n", report->native);
    if (report->count > 1)
        text_comparison(report, out);
    for (int i = 0; i < report->count; i++) {
        topo_text_addf(out, "\n== %s ==\n", report->predictions[i].label);
        const struct topo_interval *root = report->predictions[i].intervals.root;
        text_calls(report, &report->predictions[i].intervals, out);
        text_interval(report, root, shown_from(report, root, out), out);
    }
}

static json_t *json_times(const struct topo_times *times)
{
    int count;
    const struct topo_metric *metrics = topo_metrics(&count);
    json_t *object = json_object();
    for (int i = 0; i < count; i++)
        json_object_set_new(object, metrics[i].name, json_real(topo_metric_value(&metrics[i], times)));
    return object;
}

static json_t *json_interval(const struct report *report, const struct topo_interval *interval, int processors)
{
    json_t *operations = json_object(), *each = json_array(), *inner = json_array();
    struct topo_text title = {0};
    add_name(interval, &title);
    json_t *object = json_pack("{ss ss sI si sf sf sf sf sf sf sf}", "title", title.failed ? "" : title.text, "kind",
                               topo_interval_kind_name(interval->kind), "EXE_count", (json_int_t)interval->entries,
                               "processors", interval->processors, "Execution_time", interval->execution, "Total_time",
                               interval->total, "Productive_time", interval->productive, "Productive_CPU_time",
                               interval->productive_cpu, "Productive_SYS_time", interval->productive_sys,
                               "Productive_IO_time", interval->productive_io, "Efficiency", interval->efficiency);
    topo_text_free(&title);
    if (interval->name)
        json_object_set_new(object, "name", json_string(interval->name));
    if (interval->file) {
        json_object_set_new(object, "file", json_string(interval->file));
        json_object_set_new(object, "line", json_integer(interval->line));
    }
    if (interval->has_value)
        json_object_set_new(object, "value", json_integer(interval->value));
    for (int kind = 0; kind < TOPO_COMM_KINDS; kind++)
        json_object_set_new(operations, topo_comm_kind_name(kind), json_integer(interval->operations[kind]));
    json_object_set_new(object, "operations", operations);
    json_object_set_new(object, "sum", json_times(&interval->sum));
    for (int p = 0; p < processors; p++)
        json_array_append_new(each, interval->times[p].took_part ? json_times(&interval->times[p]) : json_null());
    json_object_set_new(object, "per_processor", each);
    for (int i = 0; i < interval->child_count; i++)
        if (report->depth < 0 || interval->children[i]->level <= report->depth)
            json_array_append_new(inner, json_interval(report, interval->children[i], processors));
    json_object_set_new(object, "intervals", inner);
    return object;
}

static json_t *json_calls(const struct topo_call_times *calls)
{
    json_t *list = json_array();
    for (int i = 0; i < calls->count; i++) {
        const struct topo_call_row *row = &calls->row[i];
        char length[24];
        add_length(row->length, length, sizeof length);
        json_array_append_new(list, json_pack("{ss ss sI sf sf}", "operation", row->operation, "up_to", length, "calls",
                                              (json_int_t)row->calls, "communication", row->communication,
                                              "synchronization", row->synchronization));
    }
    return list;
}

void report_json(const struct report *report, struct topo_text *out)
{
    int count;
    const struct topo_metric *metrics = topo_metrics(&count);
    json_t *list = json_array(), *notes = json_array(), *labels = json_object(), *kinds = json_object();
    for (int i = 0; i < count; i++)
        json_object_set_new(labels, metrics[i].name,
                            json_string(report->native ? metrics[i].mpi_label : metrics[i].label));
    for (int kind = 0; kind < TOPO_COMM_KINDS; kind++)
        json_object_set_new(kinds, topo_comm_kind_name(kind),
                            json_string(report->native ? topo_comm_kind_mpi_label(kind) : topo_comm_kind_name(kind)));
    for (int i = 0; i < report->count; i++) {
        const struct prediction *one = &report->predictions[i];
        json_array_append_new(list, json_pack("{ss so so}", "machine", one->label, "calls",
                                              json_calls(&one->intervals.calls), "program",
                                              json_interval(report, one->intervals.root, one->intervals.processors)));
    }
    for (int i = 0; i < report->notes->kept; i++)
        json_array_append_new(notes, json_pack("{ss ss}", "kind", report->notes->list[i].is_error ? "error" : "warning",
                                               "text", report->notes->list[i].text));
    cli_json(out,
             json_pack("{ss so ss so so so so}", "trace", report->source, "native",
                       report->native ? json_string(report->native) : json_null(), "sharing", word_of_sharing(report),
                       "labels", labels, "kinds", kinds, "predictions", list, "notes", notes),
             JSON_INDENT(1));
}
