/* topo-predict-dvm: how long a program of the DVM system takes on a machine one does not have, from a trace of Lib-DVM.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "common/cli.h"
#include "topo-predict-dvm/dvm_model.h"
#include "topo-predict/output.h"

#define TOOL "topo-predict-dvm"

struct wanted {
    char label[300];
    struct topo_dvm_par par;
};

struct request {
    struct predict_output output;
    struct wanted list[REPORT_MAX];
    int count;
    bool shaped; /* the last --par has had a --topology */
    struct topo_notes notes;
};

static enum topo_status add_par(void *into, const struct cli_option *option, const char *path, struct topo_error *error)
{
    struct request *request = into;
    struct wanted *wanted = &request->list[request->count];
    char *text = NULL;
    if (request->count == REPORT_MAX)
        return topo_fail(error, TOPO_PARSE, "more than %d predictions at once", REPORT_MAX);
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
        if (request->count == REPORT_MAX)
            return topo_fail(error, TOPO_PARSE, "more than %d predictions at once", REPORT_MAX);
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
    {'p', "par", "FILE", "parameters: type, start time, send byte time, power, topology", .read = add_par},
    {'t', "topology", "SHAPE", "processors, as 4 or 2x2; 4096 at most", .read = add_topology},
    PREDICT_OPTIONS(struct request, output),
    {0}};

static const struct cli_command command = {
    .name = TOOL,
    .usage =
        "usage: topo-predict-dvm TRACE [OPTION]...\n\n"
        "TRACE is a text trace of Lib-DVM. Each --par gives a machine, each --topology after it one prediction with "
        "that\nshape; without --topology that of the file, else of the trace.\n",
    .options = options,
    .after = PREDICT_EXIT_STATUS,
    .takes_operands = true};

int main(int argc, char **argv)
{
    static struct request request = {.output.depth = -1};
    static struct prediction predictions[REPORT_MAX];
    TOPO_SCOPED_BY(topo_dvm_trace_free) struct topo_dvm_trace trace = {0};
    struct topo_notes *notes = &request.notes;
    int made = 0, operand = argc;
    int status = cli_options(&command, argc, argv, &request, &operand, NULL);
    status = predict_check(TOOL, status, operand == argc - 1, &request.output);
    struct stat about;
    if (status == CLI_OK && stat(argv[operand], &about) == 0 && S_ISDIR(about.st_mode))
        status = cli_fail(TOOL, CLI_USAGE, "%.300s is a folder: traces of MPI programs are for topo-predict",
                          argv[operand]);
    if (status != CLI_OK) {
        topo_notes_free(notes);
        return status == CLI_DONE ? CLI_OK : status;
    }
    if (request.count == 0)
        add_default(&request);
    struct predict_progress progress = predict_progress_of(TOOL, &request.output);
    enum topo_status read = topo_dvm_read(argv[operand], &trace, notes);
    predict_progress_stage(&progress, "prediction", request.count);
    for (int i = 0; i < request.count && (read == TOPO_OK || read == TOPO_PARSE) && trace.count; i++) {
        predict_progress_step(&progress, i);
        enum topo_status one = topo_dvm_predict(&trace, &request.list[i].par, &predictions[made].intervals, notes);
        predictions[made].label = request.list[i].label;
        made += one == TOPO_OK || one == TOPO_PARSE;
    }
    predict_progress_end(&progress);
    return predict_end(TOOL, &request.output, predictions, made, argv[operand], NULL, notes);
}
