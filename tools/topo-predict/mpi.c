#include "topo-predict/mpi.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "common/cli.h"
#include "machine/synthetic.h"
#include "model/cost.h"
#include "predict/mpi/traced.h"

#define TOOL "topo-predict"

static const char *name_of(const struct topo_replay_choice *choice)
{
    switch (choice->how) {
    case TOPO_REPLAY_HAN: return "native:han";
    case TOPO_REPLAY_AUTO: return "auto";
    case TOPO_REPLAY_TRACED: return "traced";
    default: return topo_algorithm(choice->algorithm)->name;
    }
}

static struct topo_tree *copy_of(const struct topo_tree *tree)
{
    struct topo_tree *copy = NULL;
    int *all = topo_alloc((size_t)tree->ranks, sizeof *all);
    for (int i = 0; all && i < tree->ranks; i++)
        all[i] = i;
    if (all)
        topo_tree_restrict(tree, all, tree->ranks, &copy, NULL);
    topo_free(all);
    return copy;
}

/* One more prediction: `text` names its machine in the label. Takes over machine->tree. */
static int add_one(struct mpi_request *request, const struct mpi_machine *machine, const char *text)
{
    struct mpi_machine *added = &request->list[request->count];
    size_t used;
    if (request->count == MPI_MACHINES_MAX) {
        topo_tree_free(machine->tree);
        return cli_fail(TOOL, CLI_USAGE, "more than %d predictions at once", MPI_MACHINES_MAX);
    }
    *added = *machine;
    snprintf(added->label, sizeof added->label, "%.150s", text);
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        if (added->chosen[operation]) {
            used = strlen(added->label);
            snprintf(added->label + used, sizeof added->label - used, ", %s %s",
                     topo_operation_name((enum topo_operation)operation), name_of(&added->choice[operation]));
        }
    request->count++;
    return CLI_OK;
}

/* The machine under what was said before; an operation whose every algorithm is
 * wanted makes one prediction for each that can run there. */
static int add_machine(struct mpi_request *request, struct mpi_machine machine, const char *text)
{
    int status = CLI_OK, operation = 0;
    while (operation < TOPO_OPERATION_COUNT && !machine.every[operation])
        operation++;
    if (operation == TOPO_OPERATION_COUNT)
        return add_one(request, &machine, text);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT && status == CLI_OK; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm((enum topo_algorithm_id)id);
        struct mpi_machine one = machine;
        if ((int)algorithm->operation != operation || !topo_algorithm_applies(algorithm, machine.tree->ranks, NULL))
            continue;
        one.tree = copy_of(machine.tree);
        one.every[operation] = false;
        one.choice[operation] = (struct topo_replay_choice){TOPO_REPLAY_ALGORITHM, algorithm->id};
        status = one.tree ? add_machine(request, one, text) : cli_fail(TOOL, CLI_FAILED, "out of memory");
    }
    topo_tree_free(machine.tree);
    return status;
}

static int add_text(struct mpi_request *request, const char *text)
{
    struct topo_error error = {""};
    struct mpi_machine machine = request->next;
    if (topo_synthetic_tree(text, 0, &machine.tree, &error) != TOPO_OK)
        return cli_fail(TOOL, CLI_USAGE, "--machine %s", error.text);
    return add_machine(request, machine, text);
}

/* Reads a machine file; its parameters and speed hold for what follows. */
static int read_file(struct mpi_request *request, const char *path)
{
    struct topo_error error = {""};
    struct topo_machine_file *file = &request->files[request->file_count];
    char *text = NULL;
    if (request->file_count == MPI_MACHINES_MAX)
        return cli_fail(TOOL, CLI_USAGE, "more than %d machine files at once", MPI_MACHINES_MAX);
    enum topo_status status = topo_read_file(path, &text, NULL, &error);
    if (status == TOPO_OK) {
        status = topo_machine_file_parse(text, path, file, &error);
        request->next.file = request->file_count++;
        request->next.speed = file->speed;
    }
    topo_free(text);
    return status == TOPO_OK ? CLI_OK : cli_fail(TOOL, CLI_FAILED, "%s", error.text);
}

static int add_file(struct mpi_request *request, const char *path)
{
    int status = read_file(request, path);
    struct mpi_machine machine = request->next;
    if (status != CLI_OK)
        return status;
    if (!request->files[machine.file].tree)
        return cli_fail(TOOL, CLI_FAILED, "%s: it has no machine line; give its parameters with --params", path);
    machine.tree = copy_of(request->files[machine.file].tree);
    if (!machine.tree)
        return cli_fail(TOOL, CLI_FAILED, "out of memory");
    return add_machine(request, machine, path);
}

static int add_traced(struct mpi_request *request)
{
    if (request->count == MPI_MACHINES_MAX)
        return cli_fail(TOOL, CLI_USAGE, "more than %d predictions at once", MPI_MACHINES_MAX);
    request->list[request->count++] = (struct mpi_machine){.traced = true, .label = "the traced run", .file = -1};
    return CLI_OK;
}

static int choose(struct mpi_request *request, const char *operation_name, const char *value)
{
    int operation = 0;
    while (operation < TOPO_OPERATION_COUNT &&
           strcmp(topo_operation_name((enum topo_operation)operation), operation_name) != 0)
        operation++;
    if (operation == TOPO_OPERATION_COUNT)
        return cli_fail(TOOL, CLI_USAGE, "--%s: the library has no algorithms for it", operation_name);
    struct topo_replay_choice *choice = &request->next.choice[operation];
    const struct topo_algorithm *algorithm = topo_algorithm_find((enum topo_operation)operation, value);
    request->next.chosen[operation] = true;
    request->next.every[operation] = !strcmp(value, "all");
    if (!strcmp(value, "native:han"))
        choice->how = TOPO_REPLAY_HAN;
    else if (!strcmp(value, "auto"))
        choice->how = TOPO_REPLAY_AUTO;
    else if (!strcmp(value, "traced"))
        choice->how = TOPO_REPLAY_TRACED;
    else if (algorithm)
        *choice = (struct topo_replay_choice){TOPO_REPLAY_ALGORITHM, algorithm->id};
    else if (!request->next.every[operation])
        return cli_fail(TOOL, CLI_USAGE,
                        "--%s %.60s: no such algorithm; allowed: native, native:han, auto, traced, all, or one "
                        "of 'topo-dump algorithms'",
                        operation_name, value);
    return CLI_OK;
}

/* "strong" or "interval=strong". `value` lives as long as the command line. */
static int add_scaling(struct mpi_request *request, const char *value)
{
    const char *equals = strrchr(value, '=');
    struct mpi_machine *next = &request->next;
    enum replay_scaling scaling;
    if (!replay_scaling_find(equals ? equals + 1 : value, &scaling))
        return cli_fail(TOOL, CLI_USAGE, "--scaling %.60s: allowed: [INTERVAL=]strong|weak|fixed", value);
    if (!equals) {
        next->otherwise = scaling;
        return CLI_OK;
    }
    if (next->rule_count == MPI_RULES_MAX)
        return cli_fail(TOOL, CLI_USAGE, "more than %d rules of scaling", MPI_RULES_MAX);
    char *name = topo_alloc((size_t)(equals - value) + 1, 1);
    if (!name)
        return cli_fail(TOOL, CLI_FAILED, "out of memory");
    memcpy(name, value, (size_t)(equals - value));
    name[equals - value] = '\0';
    next->rules[next->rule_count++] = (struct replay_scaling_rule){name, scaling};
    return CLI_OK;
}

bool mpi_takes(int letter)
{
    return letter != ':' && strchr(MPI_OPTIONS, letter) != NULL;
}

int mpi_option(struct mpi_request *request, int letter, const char *value)
{
    if (!request->started) {
        for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
            request->next.choice[operation].algorithm = topo_algorithm_native((enum topo_operation)operation)->id;
        request->next.file = -1;
        request->next.speed = 1;
        request->started = true;
    }
    switch (letter) {
    case 'm': return add_text(request, value);
    case 'M': return add_file(request, value);
    case 'T': return add_traced(request);
    case 'P': return read_file(request, value);
    case 'a': return choose(request, "allgather", value);
    case 'A': return choose(request, "allreduce", value);
    case 'V': return choose(request, "alltoallv", value);
    case 'b': return choose(request, "bcast", value);
    case 'g': return choose(request, "allgatherv", value);
    case 'l': return choose(request, "alltoall", value);
    case 'r': return choose(request, "reduce", value);
    case 'R': return choose(request, "reduce_scatter", value);
    case 'K': return choose(request, "reduce_scatter_block", value);
    case 'B': return choose(request, "barrier", value);
    case 'c': return add_scaling(request, value);
    default:
        return topo_machine_speed(value, &request->next.speed)
                   ? CLI_OK
                   : cli_fail(TOOL, CLI_USAGE, "--speed %.40s: allowed: a number of 1e-6 to 1e6", value);
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
    struct topo_params defaults;
    int made = 0;
    enum topo_status status = topo_trace_read(folder, &run, notes);
    topo_params_default(&defaults);
    if (!request->count)
        topo_note_error(notes, "%s: a folder of traces needs --machine, --machine-file or --traced", folder);
    for (int i = 0; i < request->count && made < most && (status == TOPO_OK || status == TOPO_PARSE); i++) {
        struct mpi_machine *from = &request->list[i];
        const struct topo_tuning *tuning = from->file >= 0 ? &request->files[from->file].tuning : NULL;
        struct topo_replay_machine machine = {
            .tree = from->tree,
            .params = tuning ? &tuning->params : &defaults,
            .tuning = tuning,
            .speed = from->speed,
            .scaling = {from->rules, from->rule_count, from->otherwise},
        };
        memcpy(machine.choice, from->choice, sizeof machine.choice);
        if (from->traced)
            topo_traced(&run, &predictions[made].intervals, notes);
        else
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
    for (int i = 0; i < request->file_count; i++)
        topo_machine_file_free(&request->files[i]);
    for (int i = 0; i < request->next.rule_count; i++) /* those of all: rules only grow */
        topo_free((void *)request->next.rules[i].interval);
    request->count = request->file_count = request->next.rule_count = 0;
}
