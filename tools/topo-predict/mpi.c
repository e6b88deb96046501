#include "topo-predict/mpi.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "machine/synthetic.h"
#include "model/cost.h"
#include "predict/mpi/traced.h"

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
    TOPO_SCOPED int *all = topo_alloc((size_t)tree->ranks, sizeof *all);
    for (int i = 0; all && i < tree->ranks; i++)
        all[i] = i;
    if (all)
        topo_tree_restrict(tree, all, tree->ranks, &copy, NULL);
    return copy;
}

/* One more prediction: `text` names its machine in the label. Takes over machine->tree. */
static enum topo_status add_one(struct mpi_request *request, const struct mpi_machine *machine, const char *text,
                                struct topo_error *error)
{
    struct mpi_machine *added = &request->list[request->count];
    size_t used;
    if (request->count == MPI_MACHINES_MAX) {
        topo_tree_free(machine->tree);
        return topo_fail(error, TOPO_PARSE, "more than %d predictions at once", MPI_MACHINES_MAX);
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
    request->unused = NULL;
    return TOPO_OK;
}

/* The machine under what was said before; an operation whose every algorithm is
 * wanted makes one prediction for each that can run there. */
static enum topo_status add_machine(struct mpi_request *request, struct mpi_machine machine, const char *text,
                                    struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    int operation = 0;
    while (operation < TOPO_OPERATION_COUNT && !machine.every[operation])
        operation++;
    if (operation == TOPO_OPERATION_COUNT)
        return add_one(request, &machine, text, error);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT && status == TOPO_OK; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm((enum topo_algorithm_id)id);
        struct mpi_machine one = machine;
        if ((int)algorithm->operation != operation || !topo_algorithm_applies(algorithm, machine.tree->ranks, NULL))
            continue;
        one.tree = copy_of(machine.tree);
        one.every[operation] = false;
        one.choice[operation] = (struct topo_replay_choice){TOPO_REPLAY_ALGORITHM, algorithm->id};
        status = one.tree ? add_machine(request, one, text, error) : topo_fail(error, TOPO_NOMEM, "out of memory");
    }
    topo_tree_free(machine.tree);
    return status;
}

enum topo_status mpi_machine_text(void *into, const struct cli_option *option, const char *text,
                                  struct topo_error *error)
{
    struct mpi_request *request = into;
    struct mpi_machine machine = request->next;
    (void)option;
    if (topo_synthetic_tree(text, 0, &machine.tree, error) != TOPO_OK)
        return TOPO_PARSE;
    return add_machine(request, machine, text, error);
}

/* Reads a machine file; its parameters and speed hold for what follows. */
enum topo_status mpi_params(void *into, const struct cli_option *option, const char *path, struct topo_error *error)
{
    struct mpi_request *request = into;
    struct topo_machine_file *file = &request->files[request->file_count];
    char *text = NULL;
    if (request->file_count == MPI_MACHINES_MAX)
        return topo_fail(error, TOPO_PARSE, "more than %d machine files at once", MPI_MACHINES_MAX);
    enum topo_status status = topo_read_file(path, &text, NULL, error);
    if (status == TOPO_OK) {
        status = topo_machine_file_parse(text, path, file, error);
        request->next.file = request->file_count++;
        request->next.speed = file->speed;
        request->unused = option->name;
    }
    topo_free(text);
    /* A file that is malformed is no wrong argument. */
    return status == TOPO_OK ? TOPO_OK : TOPO_IO;
}

enum topo_status mpi_machine_file(void *into, const struct cli_option *option, const char *path,
                                  struct topo_error *error)
{
    struct mpi_request *request = into;
    enum topo_status status = mpi_params(into, option, path, error);
    struct mpi_machine machine = request->next;
    if (status != TOPO_OK)
        return status;
    if (!request->files[machine.file].tree)
        return topo_fail(error, TOPO_IO, "%s: it has no machine line; give its parameters with --params", path);
    machine.tree = copy_of(request->files[machine.file].tree);
    if (!machine.tree)
        return topo_fail(error, TOPO_NOMEM, "out of memory");
    return add_machine(request, machine, path, error);
}

enum topo_status mpi_traced(void *into, const struct cli_option *option, const char *none, struct topo_error *error)
{
    struct mpi_request *request = into;
    (void)option;
    (void)none;
    if (request->count == MPI_MACHINES_MAX)
        return topo_fail(error, TOPO_PARSE, "more than %d predictions at once", MPI_MACHINES_MAX);
    request->list[request->count++] = (struct mpi_machine){.traced = true, .label = "the traced run", .file = -1};
    return TOPO_OK;
}

static enum topo_status choose(struct mpi_request *request, enum topo_operation operation, const char *value,
                               struct topo_error *error)
{
    struct topo_replay_choice *choice = &request->next.choice[operation];
    const struct topo_algorithm *algorithm = topo_algorithm_find(operation, value);
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
        return topo_fail(error, TOPO_PARSE,
                         "--%s %.60s: no such algorithm; allowed: native, native:han, auto, traced, all, or "
                         "one of 'topo-dump algorithms'",
                         topo_operation_name(operation), value);
    return TOPO_OK;
}

/* The operation whose name is the first `length` characters; TOPO_OPERATION_COUNT: none. */
static enum topo_operation find_operation(const char *name, size_t length)
{
    for (int i = 0; i < TOPO_OPERATION_COUNT; i++) {
        const char *known = topo_operation_name((enum topo_operation)i);
        if (strlen(known) == length && !strncmp(known, name, length))
            return (enum topo_operation)i;
    }
    return TOPO_OPERATION_COUNT;
}

enum topo_status mpi_choice(void *into, const struct cli_option *option, const char *value, struct topo_error *error)
{
    ((struct mpi_request *)into)->unused = option->name;
    return choose(into, find_operation(option->name, strlen(option->name)), value, error);
}

enum topo_status mpi_algorithm(void *into, const struct cli_option *option, const char *value, struct topo_error *error)
{
    size_t length = strcspn(value, "=");
    enum topo_operation operation = value[length] ? find_operation(value, length) : TOPO_OPERATION_COUNT;
    TOPO_SCOPED_BY(topo_text_free) struct topo_text names = {0};
    ((struct mpi_request *)into)->unused = option->name;
    if (operation != TOPO_OPERATION_COUNT)
        return choose(into, operation, value + length + 1, error);
    for (int i = 0; i < TOPO_OPERATION_COUNT; i++)
        topo_text_addf(&names, " %s", topo_operation_name((enum topo_operation)i));
    topo_fail(error, TOPO_PARSE, "--algorithm %.60s: allowed: OPERATION=NAME, the operation one of%s", value,
              names.failed ? "" : names.text);
    return TOPO_PARSE;
}

/* "strong" or "interval=strong". `value` lives as long as the command line. */
enum topo_status mpi_scaling(void *into, const struct cli_option *option, const char *value, struct topo_error *error)
{
    const char *equals = strrchr(value, '=');
    struct mpi_machine *next = &((struct mpi_request *)into)->next;
    enum replay_scaling scaling;
    ((struct mpi_request *)into)->unused = option->name;
    if (!replay_scaling_find(equals ? equals + 1 : value, &scaling))
        return topo_fail(error, TOPO_PARSE, "--%s %.60s: allowed: [INTERVAL=]strong|weak|fixed", option->name, value);
    if (!equals) {
        next->otherwise = scaling;
        return TOPO_OK;
    }
    if (equals == value)
        return topo_fail(error, TOPO_PARSE, "--%s %.60s: an interval's name is needed before =", option->name, value);
    if (next->rule_count == MPI_RULES_MAX)
        return topo_fail(error, TOPO_PARSE, "more than %d rules of scaling", MPI_RULES_MAX);
    char *name = topo_alloc((size_t)(equals - value) + 1, 1);
    if (!name)
        return topo_fail(error, TOPO_NOMEM, "out of memory");
    memcpy(name, value, (size_t)(equals - value));
    name[equals - value] = '\0';
    next->rules[next->rule_count++] = (struct replay_scaling_rule){name, scaling};
    return TOPO_OK;
}

enum topo_status mpi_speed(void *into, const struct cli_option *option, const char *value, struct topo_error *error)
{
    ((struct mpi_request *)into)->unused = option->name;
    if (topo_machine_speed(value, &((struct mpi_request *)into)->next.speed))
        return TOPO_OK;
    return topo_fail(error, TOPO_PARSE, "--%s %.40s: allowed: a number of 1e-6 to 1e6", option->name, value);
}

void mpi_request_start(struct mpi_request *request)
{
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        request->next.choice[operation].algorithm = topo_algorithm_native((enum topo_operation)operation)->id;
    request->next.file = -1;
    request->next.speed = 1;
}

bool mpi_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool has_interval(const struct topo_interval *outer, const char *name)
{
    if (outer->name && !strcmp(outer->name, name))
        return true;
    for (int i = 0; i < outer->child_count; i++)
        if (has_interval(outer->children[i], name))
            return true;
    return false;
}

/* Rules of intervals that the program does not have; `looked`: so many were looked at before. Returns how many are now,
 * as later machines have these and further ones. */
static int look_for_intervals(const struct mpi_machine *machine, const struct topo_intervals *intervals, int looked,
                              struct topo_notes *notes)
{
    for (; intervals->root && looked < machine->rule_count; looked++)
        if (!has_interval(intervals->root, machine->rules[looked].interval))
            topo_note_warning(notes, "--scaling %.80s=...: the trace has no interval of this name",
                              machine->rules[looked].interval);
    return looked;
}

int mpi_predict(struct mpi_request *request, const char *folder, struct prediction *predictions, int most,
                struct predict_progress *progress, struct topo_notes *notes)
{
    TOPO_SCOPED_BY(topo_trace_run_free) struct topo_trace_run run = {0};
    struct topo_params defaults;
    int made = 0, looked = 0;
    predict_progress_stage(progress, "reading", 1);
    enum topo_status status = topo_trace_read(folder, &run, predict_progress_step(progress, 0), notes);
    predict_progress_end(progress);
    predict_progress_stage(progress, "prediction", request->count);
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
            .watch = predict_progress_step(progress, i),
        };
        memcpy(machine.choice, from->choice, sizeof machine.choice);
        if (from->traced)
            topo_traced(&run, &predictions[made].intervals, notes);
        else
            topo_replay(&run, &machine, &predictions[made].intervals, notes);
        looked = look_for_intervals(from, &predictions[made].intervals, looked, notes);
        predictions[made].label = from->label;
        made += predictions[made].intervals.root != NULL;
    }
    predict_progress_end(progress);
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
