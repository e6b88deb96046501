/* topo-bench: native and our collectives side by side in one run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "base/memory.h"
#include "base/options.h"
#include "comm/job.h"
#include "common/cli.h"
#include "topo-bench/compile.h"
#include "topo-bench/levels.h"
#include "topo-bench/measure.h"
#include "topo-bench/reduce_local.h"
#include "topo-bench/report_command.h"

/* What every rank holds between main() and the functions below. */
struct program {
    struct bench_request request;
    const struct bench_operation *operation; /* NULL: levels */
    struct bench_variants variants;
    struct topo_error error;
    int rank, ranks;
};

/* Parses; equal on all ranks, since argv is. Nothing is measured or written yet. */
static enum topo_status read_request(struct program *program, int argc, char **argv)
{
    struct bench_request *request = &program->request;
    enum topo_status status = bench_request_read(argc, argv, request, &program->error);
    if (status != TOPO_OK || request->help)
        return status;
    program->operation = bench_operation_find(request->what);
    if (!program->operation && strcmp(request->what, "levels")) {
        struct topo_text names = {0};
        bench_operation_names(&names);
        topo_fail(&program->error, TOPO_PARSE, "unknown operation %s; allowed are %s levels report", request->what,
                  names.failed ? "" : names.text);
        topo_text_free(&names);
        return TOPO_PARSE;
    }
    if (program->ranks < 2)
        return topo_fail(&program->error, TOPO_PARSE,
                         "one rank alone has nothing to measure: start it with mpirun -np N");
    if (request->split > program->ranks / 2)
        return topo_fail(&program->error, TOPO_PARSE, "--split %d: %d ranks make at most %d communicators of two",
                         request->split, program->ranks, program->ranks / 2);
    if (program->operation)
        status = bench_variants_read(request->algorithms, program->operation, &program->variants, &program->error);
    return status;
}

/* Our algorithms are named to the library by us: the variables that would name
 * others, or switch it off, must not be in force. */
static void clear_environment(void)
{
    for (int i = 0; i < TOPO_OPTION_COUNT; i++) {
        const struct topo_option_info *info = topo_option_info((enum topo_option)i);
        if (info->kind == TOPO_OPTION_KIND_ALGORITHM || i == TOPO_OPTION_ENABLED)
            unsetenv(info->name);
    }
}

static void show_size(const struct bench_report *report, int size)
{
    struct topo_text out = {0};
    bench_table_size(report, size, &out);
    cli_write(BENCH_TOOL, NULL, &out);
    topo_text_free(&out);
}

/* Nominal and measured rates into the report and the bound's. */
static enum topo_status find_rates(struct program *program, struct bench_run *run, struct bench_report *report)
{
    double nominal[TOPO_LEVELS_MAX], measured[TOPO_LEVELS_MAX] = {0};
    enum topo_status status = bench_rates_of(&program->request.rates, run->tree, nominal, &program->error);
    if (status != TOPO_OK)
        return status;
    if (program->request.link_test)
        status = bench_link_rates(MPI_COMM_WORLD, run->tree, measured, &program->error);
    for (int l = 0; l < run->tree->levels; l++) {
        report->level[l] = (struct bench_level){.name = topo_strdup(topo_level_name(run->tree->kind[l])),
                                                .units = run->tree->units[l],
                                                .nominal = nominal[l],
                                                .measured = measured[l]};
        run->rate[l] = measured[l] > 0 ? measured[l] : nominal[l];
    }
    return status;
}

static int write_report(const struct bench_request *request, const struct bench_report *report)
{
    struct topo_text json = {0}, svg = {0};
    struct topo_error error = {""};
    int status = CLI_OK;
    if (request->json) {
        if (bench_json_write(report, &json, &error) != TOPO_OK)
            status = cli_fail(BENCH_TOOL, CLI_FAILED, "%s", error.text);
        else
            status = cli_write(BENCH_TOOL, request->json, &json);
    }
    if (request->svg && status == CLI_OK) {
        bench_chart(report, &svg);
        status = cli_write(BENCH_TOOL, request->svg, &svg);
    }
    for (int i = 0; i < report->sizes; i++)
        for (int a = 0; a < report->algorithms; a++)
            if (report->size[i].result[a].wrong)
                status = cli_fail(BENCH_TOOL, CLI_FAILED, "wrong result of %s at %zu bytes", report->algorithm[a],
                                  report->size[i].bytes);
    topo_text_free(&json);
    topo_text_free(&svg);
    return status;
}

static int compare(struct program *program)
{
    const struct bench_request *request = &program->request;
    struct bench_run run = {.request = request,
                            .operation = program->operation,
                            .variants = &program->variants,
                            .tree = topo_job.tree,
                            .comm = MPI_COMM_WORLD,
                            .rank = program->rank,
                            .ranks = program->ranks,
                            .size_done = show_size};
    struct bench_report *report = bench_compile(request, program->operation, &program->variants, topo_job.tree);
    struct topo_text heading = {0};
    enum topo_status status;
    int result = CLI_OK;
    if (!report)
        PMPI_Abort(MPI_COMM_WORLD, CLI_FAILED);
    PMPI_Comm_split(MPI_COMM_WORLD, bench_request_colour(request, run.rank, run.ranks), run.rank, &run.comm);
    bench_variants_open(&program->variants, run.comm);
    status = find_rates(program, &run, report);
    if (status == TOPO_OK) {
        if (run.rank == 0) {
            bench_table_heading(report, &heading);
            cli_write(BENCH_TOOL, NULL, &heading);
        }
        status = bench_measure(&run, report, &program->error);
    }
    if (status != TOPO_OK)
        result = run.rank
                     ? CLI_FAILED
                     : cli_fail(BENCH_TOOL, status == TOPO_INVALID ? CLI_USAGE : CLI_FAILED, "%s", program->error.text);
    else if (run.rank == 0)
        result = write_report(request, report);
    bench_variants_close(&program->variants, run.comm);
    PMPI_Comm_free(&run.comm);
    bench_report_free(report);
    topo_text_free(&heading);
    return result;
}

static int help(void)
{
    struct topo_text names = {0}, out = {0};
    bench_operation_names(&names);
    bench_request_help(names.failed ? "" : names.text, &out);
    int status = cli_write(BENCH_TOOL, NULL, &out);
    topo_text_free(&names);
    topo_text_free(&out);
    return status;
}

int main(int argc, char **argv)
{
    struct program program = {.error = {""}};
    int status = CLI_OK;
    if (argc > 1 && !strcmp(argv[1], "report"))
        return bench_report_command(argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], "reduce_local"))
        return bench_reduce_local(argc - 1, argv + 1);
    clear_environment();
    PMPI_Init(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &program.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &program.ranks);
    if (read_request(&program, argc, argv) != TOPO_OK) {
        status = program.rank ? CLI_USAGE : cli_fail(BENCH_TOOL, CLI_USAGE, "%s", program.error.text);
    } else if (program.request.help) {
        status = program.rank ? CLI_OK : help();
    } else {
        program.request.progress = program.request.progress || isatty(STDERR_FILENO);
        topo_job_start(true);
        if (!topo_job.active)
            status = CLI_FAILED; /* topo_job_start() has said why */
        else
            status =
                program.operation ? compare(&program) : bench_levels(&program.request, MPI_COMM_WORLD, topo_job.tree);
    }
    bench_variants_free(&program.variants);
    bench_request_free(&program.request);
    /* Rank 0 alone knows whether results were wrong: one exit status for all. */
    PMPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    PMPI_Finalize();
    return status;
}
