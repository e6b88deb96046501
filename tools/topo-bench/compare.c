#include "topo-bench/compare.h"

#include <string.h>

#include "base/memory.h"
#include "common/cli.h"
#include "topo-bench/compile.h"
#include "topo-bench/levels.h"
#include "topo-bench/report_command.h"

enum topo_status bench_find_speeds(const struct bench_request *request, const struct topo_tree *tree,
                                   struct bench_link_speeds *speeds, struct topo_error *error)
{
    *speeds = (struct bench_link_speeds){0};
    enum topo_status status = bench_rates_of(&request->rates, tree, speeds->nominal, error);
    if (status == TOPO_OK && !request->no_link_test)
        status = bench_link_rates(MPI_COMM_WORLD, tree, speeds->measured, error);
    return status;
}

static int write_json(const struct bench_request *request, const struct bench_report *report)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text json = {0}, path = {0};
    if (!request->json)
        return CLI_OK;
    bench_path(request->json, report->operation, &path);
    bench_json_write(report, &json);
    json.failed = json.failed || path.failed;
    return cli_write(BENCH_TOOL, path.text, &json);
}

static void size_done(struct bench_run *run, const struct bench_report *report, int size)
{
    struct topo_text out = {0};
    struct bench_report so_far = *report;
    so_far.sizes = size + 1;
    if (run->request->format != BENCH_JSON)
        (run->request->format == BENCH_COLUMNS ? bench_columns_size : bench_table_size)(report, size, &out);
    if (run->status == CLI_OK)
        run->status = cli_write(BENCH_TOOL, NULL, &out);
    topo_text_free(&out);
    if (run->status == CLI_OK)
        run->status = write_json(run->request, &so_far);
}

/* The report where it is to be printed, the chart, and a line for every algorithm that did not do what it should. */
static int conclude(const struct bench_request *request, const struct bench_report *report)
{
    struct topo_text path = {0};
    TOPO_SCOPED_BY(topo_text_free) struct topo_text json = {0};
    int status = CLI_OK;
    if (request->format == BENCH_JSON) {
        bench_json_write(report, &json);
        status = cli_write(BENCH_TOOL, NULL, &json);
    }
    if (request->svg) {
        bench_path(request->svg, report->operation, &path);
        status = path.failed ? cli_fail(BENCH_TOOL, CLI_FAILED, "out of memory") : bench_chart(report, path.text);
        topo_text_free(&path);
    }
    for (int i = 0; i < report->sizes; i++)
        for (int a = 0; a < report->algorithms; a++) {
            const struct bench_result *result = &report->size[i].result[a];
            if (result->wrong)
                status = cli_fail(BENCH_TOOL, CLI_FAILED, "%s: wrong result of %s at %zu bytes", report->operation,
                                  report->algorithm[a], report->size[i].bytes);
            if (result->failed)
                status = cli_fail(BENCH_TOOL, CLI_FAILED, "%s: MPI error of %s at %zu bytes", report->operation,
                                  report->algorithm[a], report->size[i].bytes);
        }
    return status;
}

int bench_compare(const struct bench_request *request, const struct bench_operation *operation,
                  struct bench_variants *variants, const struct topo_tree *tree, const struct bench_link_speeds *speeds,
                  struct bench_report **report)
{
    struct bench_run run = {
        .request = request, .operation = operation, .variants = variants, .tree = tree, .size_done = size_done};
    struct bench_report *found = bench_compile(request, operation, variants, tree);
    struct topo_text heading = {0};
    struct topo_error error = {""};
    if (!found)
        PMPI_Abort(MPI_COMM_WORLD, CLI_FAILED);
    PMPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
    PMPI_Comm_split(MPI_COMM_WORLD, bench_request_colour(request, run.rank, run.ranks), run.rank, &run.comm);
    bench_variants_open(variants, run.comm);
    for (int l = 0; l < tree->levels; l++) {
        found->level[l] = (struct bench_level){.name = topo_strdup(topo_level_name(tree->kind[l])),
                                               .units = tree->units[l],
                                               .nominal = speeds->nominal[l],
                                               .measured = speeds->measured[l]};
        run.rate[l] = speeds->measured[l] > 0 ? speeds->measured[l] : speeds->nominal[l];
    }
    if (run.rank == 0) {
        if (request->format != BENCH_JSON)
            (request->format == BENCH_COLUMNS ? bench_columns_heading : bench_table_heading)(found, &heading);
        run.status = cli_write(BENCH_TOOL, NULL, &heading);
    }
    enum topo_status status = bench_measure(&run, found, &error);
    if (run.rank == 0 && status != TOPO_OK)
        run.status = cli_fail(BENCH_TOOL, CLI_FAILED, "%s: %s", operation->name, error.text);
    else if (run.rank == 0 && conclude(request, found) != CLI_OK)
        run.status = CLI_FAILED;
    bench_variants_close(variants, run.comm);
    PMPI_Comm_free(&run.comm);
    topo_text_free(&heading);
    if (report && status == TOPO_OK)
        *report = found;
    else
        bench_report_free(found);
    return run.status;
}
