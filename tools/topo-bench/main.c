/* topo-bench: native and our collectives side by side in one run. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "base/memory.h"
#include "coll/library.h"
#include "job/about.h"
#include "job/job.h"
#include "common/cli.h"
#include "topo-bench/compare.h"
#include "topo-bench/guidelines_command.h"
#include "topo-bench/lengths.h"
#include "topo-bench/levels.h"
#include "topo-bench/progress.h"
#include "topo-bench/reduce_local.h"
#include "topo-bench/report_command.h"
#include "topo-bench/start.h"
#include "topo-bench/tune_command.h"

/* What every rank holds between main() and the functions below. */
struct program {
    struct bench_request request;
    int operations; /* 0: levels */
    const struct bench_operation *operation[TOPO_OPERATION_COUNT];
    struct bench_variants variants[TOPO_OPERATION_COUNT];
    struct topo_error error;
    int rank, ranks;
};

/* The complaint, on rank 0 alone; its exit status is this rank's. */
static int refuse(const struct program *program, int status)
{
    return program->rank ? CLI_OK : cli_fail(BENCH_TOOL, status, "%s", program->error.text);
}

/* Everything that can be refused before MPI runs; equal on all ranks, since argv is. */
static enum topo_status read_request(struct program *program, int argc, char **argv)
{
    struct bench_request *request = &program->request;
    enum topo_status status = bench_request_read(argc, argv, request, &program->error);
    if (status != TOPO_OK || request->show || !strcmp(request->what, "levels"))
        return status;
    /* Everything that the library takes over is tuned. */
    status = bench_operations_read(strcmp(request->what, "tune") ? request->what : NULL, program->operation,
                                   &program->operations, &program->error);
    for (int i = 0; i < program->operations && status == TOPO_OK; i++)
        status =
            bench_variants_read(request->algorithms, program->operation[i], &program->variants[i], &program->error);
    return status;
}

/* What can be refused only now that MPI runs. */
static enum topo_status check_request(struct program *program, struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    if (program->ranks < 2)
        return topo_fail(error, TOPO_PARSE, "one rank alone has nothing to measure: start it with mpirun -np N");
    if (program->request.split > program->ranks / 2)
        return topo_fail(error, TOPO_PARSE, "--split %d: %d ranks make at most %d communicators of two",
                         program->request.split, program->ranks, program->ranks / 2);
    for (int i = 0; i < program->operations && status == TOPO_OK; i++)
        status = bench_variants_check(&program->variants[i], bench_operation_id(program->operation[i]),
                                      program->request.split > 1 ? 0 : program->ranks, error);
    if (status == TOPO_OK)
        status = bench_lengths_start(&program->request, program->rank, program->ranks, error);
    return status;
}

static int compare_all(struct program *program)
{
    struct bench_link_speeds speeds;
    int status = CLI_OK;
    enum topo_status found = bench_find_speeds(&program->request, topo_job.tree, &speeds, &program->error);
    if (found != TOPO_OK)
        return refuse(program, found == TOPO_INVALID ? CLI_USAGE : CLI_FAILED);
    if (program->request.svg) {
        /* Told before minutes of measuring, not after. */
        status = program->rank ? CLI_OK : bench_chart_check();
        PMPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (status != CLI_OK)
            return status;
    }
    int sizes = 0;
    for (int i = 0; i < program->operations; i++)
        sizes += program->operation[i]->sizeless ? 1 : program->request.sizes.count;
    bench_progress_begin(program->rank == 0 && (program->request.progress || isatty(STDERR_FILENO)), sizes);
    if (program->request.tuning)
        return bench_tune(&program->request, program->operation, program->variants, program->operations, topo_job.tree,
                          &speeds);
    for (int i = 0; i < program->operations; i++)
        if (bench_compare(&program->request, program->operation[i], &program->variants[i], topo_job.tree, &speeds,
                          NULL) != CLI_OK)
            status = CLI_FAILED;
    return status;
}

/* With MPI running. The exit status is rank 0's. */
static int work(struct program *program)
{
    enum topo_status checked = check_request(program, &program->error);
    if (checked != TOPO_OK)
        return refuse(program, checked == TOPO_IO ? CLI_FAILED : CLI_USAGE);
    topo_library_start(true);
    if (!topo_job.active)
        return CLI_FAILED; /* topo_library_start() has said why */
    return program->operations ? compare_all(program) : bench_levels(&program->request, MPI_COMM_WORLD, topo_job.tree);
}

static int show(const struct bench_request *request)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text names = {0};
    bench_operation_names(&names);
    return bench_request_show(request, names.failed ? "" : names.text);
}

int main(int argc, char **argv)
{
    struct program program = {.error = {""}, .rank = bench_launched_as()};
    int status;
    cli_about_mpi = topo_about_mpi;
    if (argc > 1 && !strcmp(argv[1], "report"))
        return bench_report_command(argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], "reduce_local"))
        return bench_reduce_local(argc - 1, argv + 1);
    bench_clear_environment();
    if (argc > 1 && !strcmp(argv[1], "guidelines"))
        return bench_guidelines_command(argc - 1, argv + 1);
    /* Arguments are judged before MPI starts, and rank 0 alone has an exit status that is not 0: mpirun ends a
     * job when one rank fails, and what it then returns would be a matter of luck. */
    if (read_request(&program, argc, argv) != TOPO_OK)
        status = refuse(&program, CLI_USAGE);
    else if (program.request.show)
        status = program.rank ? CLI_OK : show(&program.request);
    else {
        bench_start_mpi(&argc, &argv);
        PMPI_Comm_rank(MPI_COMM_WORLD, &program.rank);
        PMPI_Comm_size(MPI_COMM_WORLD, &program.ranks);
        status = work(&program);
        PMPI_Finalize();
        status = program.rank ? CLI_OK : status;
    }
    for (int i = 0; i < program.operations; i++)
        bench_variants_free(&program.variants[i]);
    bench_request_free(&program.request);
    return status;
}
