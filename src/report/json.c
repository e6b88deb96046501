#include <math.h>

#include "model/cost.h"
#include "report/report.h"
#include "report/table.h"
#include "topompi.h"

static long long nanoseconds(double seconds)
{
    return llround(seconds * 1e9);
}

void topo_report_json_string(const char *value, struct topo_text *out)
{
    topo_text_add(out, "\"");
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        topo_text_addf(out, c < 0x20 ? "\\u%04x" : c == '"' || c == '\\' ? "\\%c" : "%c", c);
    }
    topo_text_add(out, "\"");
}

static void add_word(const char *name, const char *value, struct topo_text *out)
{
    topo_text_addf(out, "  \"%s\": ", name);
    topo_report_json_string(value, out);
    topo_text_add(out, ",\n");
}

static void add_row(const struct topo_report *report, const struct topo_report_row *row, struct topo_text *out)
{
    const struct topo_algorithm *algorithm = topo_algorithm((enum topo_algorithm_id)row->algorithm);
    topo_report_members(topo_report_rows, report, row, out);
    topo_text_addf(out, ", \"ours\": %s", algorithm == topo_algorithm_native(algorithm->operation) ? "false" : "true");
    if (row->measured)
        topo_text_addf(out, ", \"measured\": {\"calls\": %lld, \"ns\": %lld, \"native_ns\": %lld}",
                       (long long)row->measured, nanoseconds(row->measured_ours), nanoseconds(row->measured_native));
    if (row->modelled)
        topo_text_addf(
            out, ", \"model\": {\"calls\": %lld, \"native_ns\": %lld, \"native_of\": \"" TOPO_COST_NATIVE_OF "\"}",
            (long long)row->modelled, nanoseconds(row->modelled_native));
}

static void add_rows(const struct topo_report *report, struct topo_text *out)
{
    topo_text_add(out, "  \"calls\": [");
    for (int i = 0; i < report->rows; i++) {
        topo_text_add(out, i ? ",\n    {" : "\n    {");
        add_row(report, &report->row[i], out);
        topo_text_add(out, "}");
    }
    topo_text_add(out, "\n  ]");
}

static void add_functions(const struct topo_report *report, struct topo_text *out)
{
    topo_text_add(out, ",\n  \"functions\": [");
    for (int i = 0; i < report->functions; i++) {
        topo_text_add(out, i ? ",\n    {" : "\n    {");
        topo_report_members(topo_report_functions, report, &report->function[i], out);
        topo_text_add(out, "}");
    }
    topo_text_add(out, "\n  ]");
}

static void add_not_taken(const struct topo_report *report, struct topo_text *out)
{
    const char *before = "";
    topo_text_add(out, ",\n  \"not_taken_over\": {");
    for (int i = 0; i < report->functions; i++) {
        const struct topo_report_function *one = &report->function[i];
        if (!topo_report_is_passed(one->function))
            continue;
        topo_text_addf(out, "%s\"%s\": %lld", before, topo_report_function_name(one->function), (long long)one->calls);
        before = ", ";
    }
    topo_text_add(out, "}");
}

static void add_total(const struct topo_report *report, struct topo_text *out)
{
    struct topo_report_total total;
    topo_report_total(report, &total);
    topo_text_addf(out,
                   ",\n  \"total\": {\"calls\": %.0f, \"ours\": %.0f, \"ns\": %lld, \"run_ns\": %lld,\n"
                   "    \"measured\": {\"ns\": %lld, \"native_ns\": %lld, \"saved_ns\": %lld, \"error_ns\": %lld},\n"
                   "    \"mpi_ns\": %lld, \"waited_ns\": %lld, \"unknown_ns\": %lld, \"unlisted_calls\": %lld",
                   total.calls, total.ours, nanoseconds(total.seconds), nanoseconds(total.run),
                   nanoseconds(total.measured_ours), nanoseconds(total.measured_native),
                   nanoseconds(total.measured_native - total.measured_ours), nanoseconds(total.error),
                   nanoseconds(total.mpi), nanoseconds(total.waited), nanoseconds(total.open),
                   (long long)report->unlisted);
    if (total.outside_most > 0 && total.run_most > 0)
        topo_text_addf(out, ", \"load_balance\": %.4f, \"communication_efficiency\": %.4f",
                       total.outside / report->ranks / total.outside_most, total.outside_most / total.run_most);
    topo_text_add(out, "}");
}

static void add_sentences(const struct topo_report *report, struct topo_text *out)
{
    struct topo_text lines = {0};
    topo_report_sentences(report, &lines);
    topo_text_add(out, ",\n  \"sentences\": [");
    const char *before = "\n    ";
    for (char *line = lines.text; line && *line; before = ",\n    ") {
        char *end = line;
        while (*end && *end != '\n')
            end++;
        char *next = *end ? end + 1 : end;
        *end = '\0';
        topo_text_add(out, before);
        topo_report_json_string(line, out);
        line = next;
    }
    topo_text_add(out, "\n  ]");
    out->failed = out->failed || lines.failed;
    topo_text_free(&lines);
}

void topo_report_json(const struct topo_report *report, const struct topo_report *first, struct topo_text *out)
{
    const struct topo_report_job *job = &report->job;
    topo_text_addf(out, "{\n  \"topompi\": \"" TOPOMPI_VERSION "\",\n  \"version\": %d,\n", TOPO_REPORT_VERSION);
    add_word("mpi", job->mpi, out);
    add_word("libraries", job->libraries, out);
    add_word("job", job->about, out);
    add_word("machine", job->machine, out);
    topo_text_addf(out, "  \"ranks\": %d,\n  \"nodes\": %d,\n  \"off\": %s,\n", job->ranks, job->nodes,
                   job->off ? "true" : "false");
    if (first) {
        topo_text_addf(out, "  \"rank\": %d,\n", first->ranks ? first->rank[0].rank : 0);
        add_rows(first, out);
        add_not_taken(first, out);
        add_total(first, out);
        topo_text_add(out, ",\n");
    }
    topo_text_add(out, "  \"all\": {\n");
    add_rows(report, out);
    add_functions(report, out);
    topo_text_add(out, ",\n  \"ranks\": [");
    for (int i = 0; i < report->ranks; i++) {
        topo_text_add(out, i ? ",\n    {" : "\n    {");
        topo_report_members(topo_report_ranks, report, &report->rank[i], out);
        topo_text_add(out, "}");
    }
    topo_text_add(out, "\n  ]");
    add_total(report, out);
    add_sentences(report, out);
    topo_text_add(out, "}\n}\n");
}
