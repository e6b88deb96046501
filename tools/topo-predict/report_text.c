#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "topo-predict/report.h"

void report_parts(const struct topo_interval *interval, struct report_part parts[REPORT_PARTS])
{
    const struct topo_times *sum = &interval->sum;
    parts[0] = (struct report_part){"productive", "#009e73", interval->productive};
    parts[1] = (struct report_part){"insufficient parallelism", "#e69f00", sum->insufficient};
    parts[2] = (struct report_part){"communication", "#0072b2", sum->communication};
    parts[3] = (struct report_part){"synchronization", "#56b4e9", sum->synchronization};
    parts[4] = (struct report_part){"idle", "#999999", sum->idle};
}

void report_name(const struct topo_interval *interval, struct topo_text *out)
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

static void text_interval(const struct report *report, const struct topo_interval *interval, struct topo_text *out)
{
    struct report_part parts[REPORT_PARTS];
    if (report->depth >= 0 && interval->level > report->depth)
        return;
    report_parts(interval, parts);
    topo_text_addf(out, "%*s", 2 * interval->level, "");
    report_name(interval, out);
    topo_text_addf(out, "\n%*s  entered %ld, %d processors, %.6f s, efficiency %.3f\n%*s  total %.6f s:",
                   2 * interval->level, "", interval->entries, interval->processors, interval->execution,
                   interval->efficiency, 2 * interval->level, "", interval->total);
    for (int i = 0; i < REPORT_PARTS; i++)
        topo_text_addf(out, "%s %s %.6f", i ? "," : "", parts[i].name, parts[i].seconds);
    topo_text_add(out, "\n");
    for (int i = 0; i < interval->child_count; i++)
        text_interval(report, interval->children[i], out);
}

static void text_row(const struct report *report, const struct topo_interval *const *interval, struct topo_text *out)
{
    for (int k = 0; k < report->count; k++) {
        if (interval[k])
            topo_text_addf(out, " %11.6f", interval[k]->execution);
        else
            topo_text_addf(out, " %11s", "-");
    }
    topo_text_addf(out, "  %*s", 2 * interval[0]->level, "");
    report_name(interval[0], out);
    topo_text_add(out, "\n");
}

/* The predictions side by side: a column each, the intervals' times in seconds. */
static void text_comparison(const struct report *report, struct topo_text *out)
{
    topo_text_add(out, "\n== comparison, seconds ==\n");
    for (int i = 0; i < report->count; i++)
        topo_text_addf(out, "%3d: %s\n", i + 1, report->predictions[i].label);
    for (int i = 0; i < report->count; i++)
        topo_text_addf(out, " %11d", i + 1);
    topo_text_add(out, "\n");
    report_rows(report, text_row, out);
}

void report_text(const struct report *report, struct topo_text *out)
{
    topo_text_addf(out, "%s\n", report->source);
    if (report->count > 1)
        text_comparison(report, out);
    for (int i = 0; i < report->count; i++) {
        topo_text_addf(out, "\n== %s ==\n", report->predictions[i].label);
        text_interval(report, report->predictions[i].intervals.root, out);
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
    json_t *object = json_object(), *operations = json_object(), *each = json_array(), *inner = json_array();
    json_object_set_new(object, "kind", json_string(topo_interval_kind_name(interval->kind)));
    if (interval->name)
        json_object_set_new(object, "name", json_string(interval->name));
    if (interval->file) {
        json_object_set_new(object, "file", json_string(interval->file));
        json_object_set_new(object, "line", json_integer(interval->line));
    }
    if (interval->has_value)
        json_object_set_new(object, "value", json_integer(interval->value));
    json_object_set_new(object, "EXE_count", json_integer(interval->entries));
    json_object_set_new(object, "processors", json_integer(interval->processors));
    json_object_set_new(object, "Execution_time", json_real(interval->execution));
    json_object_set_new(object, "Total_time", json_real(interval->total));
    json_object_set_new(object, "Productive_time", json_real(interval->productive));
    json_object_set_new(object, "Productive_CPU_time", json_real(interval->productive_cpu));
    json_object_set_new(object, "Productive_SYS_time", json_real(interval->productive_sys));
    json_object_set_new(object, "Productive_IO_time", json_real(interval->productive_io));
    json_object_set_new(object, "Efficiency", json_real(interval->efficiency));
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

void report_json(const struct report *report, struct topo_text *out)
{
    json_t *list = json_array(), *notes = json_array();
    for (int i = 0; i < report->count; i++) {
        const struct prediction *one = &report->predictions[i];
        json_array_append_new(list, json_pack("{ss so}", "machine", one->label, "program",
                                              json_interval(report, one->intervals.root, one->intervals.processors)));
    }
    for (int i = 0; i < report->notes->kept; i++)
        json_array_append_new(notes, json_pack("{ss ss}", "kind", report->notes->list[i].is_error ? "error" : "warning",
                                               "text", report->notes->list[i].text));
    json_t *all = json_pack("{ss so so}", "trace", report->source, "predictions", list, "notes", notes);
    char *text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
    if (text)
        topo_text_addf(out, "%s\n", text);
    else
        out->failed = true;
    free(text);
    json_decref(all);
}
