/* topo-predict: how long a traced program takes on a machine one does not have. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "common/cli.h"
#include "common/script.h"
#include "model/cost.h"
#include "predict/dvm/dvm_model.h"
#include "topo-predict/mpi.h"

#define TOOL "topo-predict"

enum { PREDICTIONS_MAX = REPORT_MAX, SUMMARY = 10 };
enum format { TEXT, JSON, HTML };

struct wanted {
    char label[300];
    struct topo_dvm_par par;
};

struct request {
    struct mpi_request mpi; /* first: its options' readers get the whole */
    struct wanted list[PREDICTIONS_MAX];
    int count;
    enum format format;
    const char *output;
    long depth;
    bool summary, progress;
    bool shaped; /* the last --par has had a --topology */
    struct topo_notes notes;
};

static enum topo_status add_par(void *into, const struct cli_option *option, const char *path, struct topo_error *error)
{
    struct request *request = into;
    struct wanted *wanted = &request->list[request->count];
    char *text = NULL;
    if (request->count == PREDICTIONS_MAX)
        return topo_fail(error, TOPO_PARSE, "more than %d predictions at once", PREDICTIONS_MAX);
    (void)option;
    topo_dvm_par_default(&wanted->par);
    snprintf(wanted->label, sizeof wanted->label, "%s", path);
    enum topo_status status = topo_read_file(path, &text, NULL, error);
    if (status != TOPO_OK)
        return status;
    topo_dvm_par_parse(text, path, &wanted->par, &request->notes);
    topo_free(text);
    request->count++;
    request->shaped = false;
    return TOPO_OK;
}

static void add_default(struct request *request)
{
    topo_dvm_par_default(&request->list[0].par);
    snprintf(request->list[0].label, sizeof request->list[0].label, "default network");
    request->count = 1;
}

static enum topo_status add_topology(void *into, const struct cli_option *option, const char *shape,
                                     struct topo_error *error)
{
    struct request *request = into;
    if (request->count == 0)
        add_default(request);
    if (request->shaped) {
        if (request->count == PREDICTIONS_MAX)
            return topo_fail(error, TOPO_PARSE, "more than %d predictions at once", PREDICTIONS_MAX);
        request->list[request->count] = request->list[request->count - 1];
        char *comma = strstr(request->list[request->count].label, ", topology ");
        if (comma)
            *comma = '\0';
        request->count++;
    }
    struct wanted *wanted = &request->list[request->count - 1];
    if (!topo_dvm_par_topology(shape, &wanted->par.machine))
        return topo_fail(error, TOPO_PARSE, "--%s %.60s: allowed: sizes as 4 or 2x2, up to 8 dimensions", option->name,
                         shape);
    size_t used = strlen(wanted->label);
    snprintf(wanted->label + used, sizeof wanted->label - used, ", topology %s", shape);
    request->shaped = true;
    return TOPO_OK;
}

static const struct cli_option options[] = {
    {'m', "machine", "TEXT", "levels and slots, as \"node:4 core:4\" or \"switch:2 node:4 core:4 by:node\"",
     .read = mpi_machine_text},
    {'M', "machine-file", "FILE", "a machine file with a machine line", .read = mpi_machine_file},
    {'T', "traced", NULL, "the traced run itself, to compare with", .read = mpi_traced},
    {'P', "params", "FILE", "a machine file; what topo-bench levels --params writes is one", .read = mpi_params},
    {'s', "speed", "FACTOR", "of its cores relative to the traced ones (default 1)", .read = mpi_speed},
    {'a', "allgather", "NAME", NULL, .read = mpi_choice},
    {'A', "allreduce", "NAME", NULL, .read = mpi_choice},
    {'V', "alltoallv", "NAME", NULL, .read = mpi_choice},
    {'B', "barrier", "NAME", NULL, .read = mpi_choice},
    {'b', "bcast", "NAME", NULL, .read = mpi_choice},
    {'r', "reduce", "NAME", NULL, .read = mpi_choice},
    {'g', "allgatherv", "NAME", NULL, .read = mpi_choice},
    {'l', "alltoall", "NAME", NULL, .read = mpi_choice},
    {'R', "reduce_scatter", "NAME", NULL, .read = mpi_choice},
    {'K', "reduce_scatter_block", "NAME",
     "algorithm (topo-dump algorithms), native (default), native:han, auto: what the library takes, traced: what it "
     "took, all: one prediction for each",
     .read = mpi_choice},
    {0, "algorithm", "OPERATION=NAME", "the same for any operation of the library", .read = mpi_algorithm},
    {'c', "scaling", "[INTERVAL=]RULE",
     "with another number of ranks: strong (default: the problem stays), weak (the part of a rank stays), fixed",
     .read = mpi_scaling},
    {'p', "par", "FILE", "Lib-DVM: parameters: type, start time, send byte time, power, topology", .read = add_par},
    {'t', "topology", "SHAPE", "Lib-DVM: processors, as 4 or 2x2; 4096 at most", .read = add_topology},
    {'f', "format", "text|json|html", "the form (default text); html: one self-contained page, by python3",
     CLI_WORD(struct request, format)},
    {'d', "depth", "LEVEL", "leave intervals deeper than LEVEL out; 0 is the whole program",
     CLI_NUMBER(struct request, depth, 0, 1000)},
    {0, "summary", NULL, "text: the whole program and the 10 intervals in which it is longest",
     CLI_FLAG(struct request, summary)},
    {0, "progress", NULL,
     "a line on standard error with about how long the rest takes; without this on a terminal alone",
     CLI_FLAG(struct request, progress)},
    {'o', "output", "FILE", "instead of standard output", CLI_TEXT(struct request, output)},
    {0}};

static const struct cli_command command = {
    .name = TOOL,
    .usage =
        "usage: topo-predict TRACE [OPTION]...\n\n"
        "TRACE is a folder that TOPOMPI_TRACE filled, or a text trace of Lib-DVM.\n"
        "For a folder: each --machine or --machine-file gives one prediction with what was named before it.\n"
        "For a Lib-DVM trace: each --par gives a machine, each --topology after it one prediction with that shape; "
        "without\n--topology that of the file, else of the trace.\n",
    .options = options,
    .after = "exit status: 0 success; 1 errors in the input (what could be read is reported) or failure; 2 wrong "
             "arguments\n",
    .takes_operands = true};

/* What was said for the other kind of trace would change nothing. */
static int check_kind(const struct request *request, const char *trace, bool is_folder)
{
    if (is_folder && request->count)
        return cli_fail(TOOL, CLI_USAGE, "%.300s is a folder: --par and --topology are for Lib-DVM traces", trace);
    if (!is_folder && access(trace, F_OK) == 0 && (request->mpi.count || request->mpi.unused))
        return cli_fail(TOOL, CLI_USAGE, "%.300s is no folder: of a Lib-DVM trace, machines are --par and --topology",
                        trace);
    return CLI_OK;
}

int main(int argc, char **argv)
{
    static struct request request = {.depth = -1};
    static struct prediction predictions[PREDICTIONS_MAX];
    struct topo_notes *notes = &request.notes;
    TOPO_SCOPED_BY(topo_dvm_trace_free) struct topo_dvm_trace trace = {0};
    TOPO_SCOPED_BY(topo_text_free) struct topo_text out = {0};
    int made = 0, operand;
    mpi_request_start(&request.mpi);
    int status = cli_options(&command, argc, argv, &request, &operand, NULL);
    if (status == CLI_OK && operand != argc - 1)
        status = cli_fail(TOOL, CLI_USAGE, "one trace is needed; see topo-predict --help");
    if (status == CLI_OK && request.summary && request.format != TEXT)
        status = cli_fail(TOOL, CLI_USAGE, "--summary goes with --format text");
    if (status == CLI_OK && request.mpi.count && request.mpi.unused)
        status =
            cli_fail(TOOL, CLI_USAGE,
                     "--%s after the last machine changes nothing: options hold for the --machine or --machine-file "
                     "that follows them",
                     request.mpi.unused);
    bool is_folder = status == CLI_OK && mpi_is_folder(argv[operand]);
    if (status == CLI_OK)
        status = check_kind(&request, argv[operand], is_folder);
    if (status != CLI_OK) {
        mpi_request_free(&request.mpi);
        topo_notes_free(notes);
        return status == CLI_DONE ? CLI_OK : status;
    }
    if (request.count == 0)
        add_default(&request);
    struct predict_progress progress = {.shown = request.progress        ? PREDICT_SHOWN
                                                 : isatty(STDERR_FILENO) ? PREDICT_LATE
                                                                         : PREDICT_HIDDEN};
    if (is_folder)
        made = mpi_predict(&request.mpi, argv[operand], predictions, PREDICTIONS_MAX, &progress, notes);
    enum topo_status read = is_folder ? TOPO_IO : topo_dvm_read(argv[operand], &trace, notes);
    predict_progress_stage(&progress, "prediction", request.count);
    for (int i = 0; i < request.count && (read == TOPO_OK || read == TOPO_PARSE) && trace.count; i++) {
        predict_progress_step(&progress, i);
        enum topo_status one = topo_dvm_predict(&trace, &request.list[i].par, &predictions[made].intervals, notes);
        predictions[made].label = request.list[i].label;
        made += one == TOPO_OK || one == TOPO_PARSE;
    }
    predict_progress_end(&progress);
    for (int i = 0; i < notes->kept; i++)
        fprintf(stderr, TOOL ": %s%s\n", notes->list[i].is_error ? "" : "warning: ", notes->list[i].text);
    if (notes->errors + notes->warnings > notes->kept)
        fprintf(stderr, TOOL ": and %ld more\n", notes->errors + notes->warnings - notes->kept);
    if (made) {
        struct report report = {argv[operand],
                                predictions,
                                made,
                                (int)request.depth,
                                request.summary ? SUMMARY : -1,
                                notes,
                                is_folder ? TOPO_COST_NATIVE_OF : NULL};
        const char *const page[] = {request.output ? request.output : "-", NULL};
        (request.format == TEXT ? report_text : report_json)(&report, &out);
        status = request.format == HTML ? cli_script(TOOL, predict_page_script, page, &out)
                                        : cli_write(TOOL, request.output, &out);
    }
    if (!made || notes->errors)
        status = CLI_FAILED;
    for (int i = 0; i < made; i++)
        topo_intervals_free(&predictions[i].intervals);
    mpi_request_free(&request.mpi);
    topo_notes_free(notes);
    return status;
}
