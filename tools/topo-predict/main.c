/* topo-predict: how long a traced MPI program takes on a machine one does not have. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "common/cli.h"
#include "model/cost.h"
#include "topo-predict/mpi.h"
#include "topo-predict/output.h"

#define TOOL "topo-predict"
#define DVM "topo-predict-dvm"

struct request {
    struct mpi_request mpi; /* first: its options' readers get the whole */
    struct predict_output output;
    struct topo_notes notes;
};

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
    PREDICT_OPTIONS(struct request, output),
    {0}};

static const struct cli_command command = {
    .name = TOOL,
    .usage =
        "usage: topo-predict FOLDER [OPTION]...\n\n"
        "FOLDER is one that TOPOMPI_TRACE filled. Each --machine or --machine-file gives one prediction with what was "
        "named\nbefore it. A text trace of Lib-DVM goes to topo-predict-dvm, with all options.\n",
    .options = options,
    .after = PREDICT_EXIT_STATUS,
    .takes_operands = true};

/* Options that topo-predict-dvm alone has: "-pFILE", "--par", "--topology=4". */
static bool is_for_dvm(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        size_t length = strcspn(argv[i], "=");
        if (!strncmp(argv[i], "-p", 2) || !strncmp(argv[i], "-t", 2) ||
            (length == strlen("--par") && !strncmp(argv[i], "--par", length)) ||
            (length == strlen("--topology") && !strncmp(argv[i], "--topology", length)))
            return true;
    }
    return false;
}

/* Becomes topo-predict-dvm, which lies beside this program, or in the next folder where both were built. */
static int run_dvm(char **argv)
{
    static const char *const places[] = {"", "../" DVM "/"};
    char program[PATH_MAX], path[PATH_MAX + sizeof "../" DVM "/" DVM];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        slash[1] = '\0';
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s%s" DVM, program, places[i]);
        execv(path, argv);
    }
    return cli_fail(TOOL, CLI_FAILED, DVM ", which reads traces of Lib-DVM, cannot be run from %.300s: %s", program,
                    strerror(errno));
}

/* What was said for the other kind of trace would change nothing. */
static int check_machines(const struct mpi_request *mpi, const char *trace, bool is_folder)
{
    if (mpi->count && mpi->unused)
        return cli_fail(TOOL, CLI_USAGE,
                        "--%s after the last machine changes nothing: options hold for the --machine or --machine-file "
                        "that follows them",
                        mpi->unused);
    if (!is_folder && access(trace, F_OK) == 0 && (mpi->count || mpi->unused))
        return cli_fail(TOOL, CLI_USAGE, "%.300s is no folder: of a Lib-DVM trace, machines are --par and --topology",
                        trace);
    return CLI_OK;
}

int main(int argc, char **argv)
{
    static struct request request = {.output.depth = -1};
    static struct prediction predictions[REPORT_MAX];
    int operand = argc;
    if (is_for_dvm(argc, argv))
        return run_dvm(argv);
    mpi_request_start(&request.mpi);
    int status = cli_options(&command, argc, argv, &request, &operand, NULL);
    status = predict_check(TOOL, status, operand == argc - 1, &request.output);
    bool is_folder = status == CLI_OK && mpi_is_folder(argv[operand]);
    if (status == CLI_OK)
        status = check_machines(&request.mpi, argv[operand], is_folder);
    if (status == CLI_OK && !is_folder)
        status = access(argv[operand], R_OK) == 0
                     ? run_dvm(argv)
                     : cli_fail(TOOL, CLI_FAILED, "%.300s: %s", argv[operand], strerror(errno));
    if (status != CLI_OK) {
        mpi_request_free(&request.mpi);
        topo_notes_free(&request.notes);
        return status == CLI_DONE ? CLI_OK : status;
    }
    struct predict_progress progress = predict_progress_of(TOOL, &request.output);
    int made = mpi_predict(&request.mpi, argv[operand], predictions, REPORT_MAX, &progress, &request.notes);
    status = predict_end(TOOL, &request.output, predictions, made, argv[operand], TOPO_COST_NATIVE_OF, &request.notes);
    mpi_request_free(&request.mpi);
    return status;
}
