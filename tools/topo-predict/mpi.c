#include "topo-predict/mpi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "common/cli.h"
#include "machine/synthetic.h"
#include "model/cost.h"
#include "select/tuning.h"

#define TOOL "topo-predict"

static int add_machine(struct mpi_request *request, const char *text)
{
    struct topo_error error = {""};
    struct mpi_machine *machine = &request->list[request->count];
    if (request->count == MPI_MACHINES_MAX)
        return cli_fail(TOOL, CLI_USAGE, "more than %d machines at once", MPI_MACHINES_MAX);
    *machine = request->next;
    if (topo_synthetic_tree(text, 0, &machine->tree, &error) != TOPO_OK)
        return cli_fail(TOOL, CLI_USAGE, "--machine %s", error.text);
    snprintf(machine->label, sizeof machine->label, "%.200s, allgather %s", text,
             topo_algorithm(machine->allgather)->name);
    request->count++;
    return CLI_OK;
}

static int set_params(struct mpi_request *request, const char *path)
{
    struct topo_error error = {""};
    struct topo_tuning tuning = {0};
    char *text = NULL;
    enum topo_status status = topo_read_file(path, &text, NULL, &error);
    if (status == TOPO_OK)
        status = topo_tuning_parse(text, path, &tuning, &error);
    if (status == TOPO_OK)
        request->next.params = tuning.params;
    topo_tuning_free(&tuning);
    topo_free(text);
    return status == TOPO_OK ? CLI_OK : cli_fail(TOOL, CLI_FAILED, "%s", error.text);
}

int mpi_option(struct mpi_request *request, int letter, const char *value)
{
    const struct topo_algorithm *algorithm;
    char *end;
    if (!request->started) {
        topo_params_default(&request->next.params);
        request->next.allgather = TOPO_ALGORITHM_allgather_native;
        request->next.speed = 1;
        request->started = true;
    }
    switch (letter) {
    case 'm': return add_machine(request, value);
    case 'P': return set_params(request, value);
    case 'a':
        algorithm = topo_algorithm_find(TOPO_OPERATION_allgather, value);
        if (!algorithm || !topo_cost_known(algorithm->id))
            return cli_fail(TOOL, CLI_USAGE, "--allgather %.60s: no algorithm with a model; see topo-dump algorithms",
                            value);
        request->next.allgather = algorithm->id;
        return CLI_OK;
    default:
        request->next.speed = strtod(value, &end);
        if (end == value || *end || !isfinite(request->next.speed) || request->next.speed <= 0)
            return cli_fail(TOOL, CLI_USAGE, "--speed %.40s: allowed: a number above 0", value);
        return CLI_OK;
    }
}

bool mpi_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

int mpi_predict(struct mpi_request *request, const char *folder, struct prediction *predictions, int most,
                struct topo_notes *notes)
{
    struct topo_trace_run run;
    int made = 0;
    enum topo_status status = topo_trace_read(folder, &run, notes);
    if (!request->count)
        topo_note_error(notes, "%s: a folder of traces needs --machine", folder);
    for (int i = 0; i < request->count && made < most && (status == TOPO_OK || status == TOPO_PARSE); i++) {
        struct mpi_machine *from = &request->list[i];
        struct topo_replay_machine machine = {.tree = from->tree, .params = &from->params, .speed = from->speed};
        machine.algorithm[TOPO_OPERATION_allgather] = from->allgather;
        topo_replay(&run, &machine, &predictions[made].intervals, notes);
        predictions[made].label = from->label;
        made += predictions[made].intervals.root != NULL;
    }
    topo_trace_run_free(&run);
    return made;
}

void mpi_request_free(struct mpi_request *request)
{
    for (int i = 0; i < request->count; i++)
        topo_tree_free(request->list[i].tree);
    request->count = 0;
}
