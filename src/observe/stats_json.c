#include <math.h>

#include "job/about.h"
#include "job/job.h"
#include "model/cost.h"
#include "observe/stats_report.h"
#include "topompi.h"

static long long nanoseconds(double seconds)
{
    return llround(seconds * 1e9);
}

/* A JSON string; bytes that are no ASCII stay as they are, since names of files are UTF-8 nearly everywhere. */
static void add_string(const char *name, const char *value, struct topo_text *out)
{
    topo_text_addf(out, "  \"%s\": \"", name);
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        topo_text_addf(out, c < 0x20 ? "\\u%04x" : c == '"' || c == '\\' ? "\\%c" : "%c", c);
    }
    topo_text_add(out, "\",\n");
}

static void add_said(const char *name, void (*say)(struct topo_text *out), struct topo_text *out)
{
    struct topo_text said = {0};
    say(&said);
    add_string(name, said.text ? said.text : "", out);
    out->failed = out->failed || said.failed;
    topo_text_free(&said);
}

void topo_stats_json_begin(bool off, struct topo_text *out)
{
    topo_text_add(out, "{\n  \"topompi\": \"" TOPOMPI_VERSION "\",\n");
    add_said("mpi", topo_about_mpi, out);
    add_said("libraries", topo_about_library, out);
    add_said("job", topo_about_job, out);
    add_string("machine", topo_job_machine(), out);
    topo_text_addf(out, "  \"ranks\": %d,\n  \"nodes\": %d,\n  \"rank\": %d,\n  \"off\": %s,\n  \"calls\": [",
                   topo_job.ranks, topo_job.tree->units[topo_tree_node_level(topo_job.tree)], topo_job.rank,
                   off ? "true" : "false");
}

void topo_stats_json_row(const struct topo_algorithm *algorithm, size_t bytes, const struct topo_stats_cell *cell,
                         bool with_model, bool first, struct topo_text *out)
{
    bool ours = algorithm != topo_algorithm_native(algorithm->operation);
    topo_text_addf(out,
                   "%s\n    {\"operation\": \"%s\", \"bytes_at_most\": %zu, \"calls\": %ld, \"algorithm\": \"%s\", "
                   "\"ours\": %s, \"ns\": %lld",
                   first ? "" : ",", topo_operation_name(algorithm->operation), bytes, cell->calls, algorithm->name,
                   ours ? "true" : "false", nanoseconds(cell->seconds));
    if (cell->measured)
        topo_text_addf(out, ", \"measured\": {\"calls\": %ld, \"ns\": %lld, \"native_ns\": %lld}", cell->measured,
                       nanoseconds(cell->measured_ours), nanoseconds(cell->measured_native));
    if (with_model && cell->modelled)
        topo_text_addf(out,
                       ", \"model\": {\"calls\": %ld, \"native_ns\": %lld, \"native_of\": \"" TOPO_COST_NATIVE_OF "\"}",
                       cell->modelled, nanoseconds(cell->modelled_native));
    topo_text_add(out, "}");
}

void topo_stats_json_end(const struct topo_stats_total *total, struct topo_text *out)
{
    const char *name, *before = "";
    topo_text_add(out, "\n  ],\n  \"not_taken_over\": {");
    for (long i = 0, calls; (calls = topo_stats_passed_calls((int)i, &name)) >= 0; i++)
        if (calls) {
            topo_text_addf(out, "%s\"%s\": %ld", before, name, calls);
            before = ", ";
        }
    topo_text_addf(out,
                   "},\n  \"total\": {\"calls\": %ld, \"ours\": %ld, \"ns\": %lld, \"run_ns\": %lld,\n"
                   "    \"measured\": {\"ns\": %lld, \"native_ns\": %lld, \"saved_ns\": %lld}}\n}\n",
                   total->calls, total->ours, nanoseconds(total->seconds), nanoseconds(total->elapsed),
                   nanoseconds(total->measured_ours), nanoseconds(total->measured_native),
                   nanoseconds(total->measured_native - total->measured_ours));
}
