#include "topo-bench/tune_command.h"

#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "common/cli.h"
#include "topo-bench/levels.h"
#include "topo-bench/tune.h"

/* What the file is and how to read it. */
static void introduce(const struct bench_request *request, const struct topo_layout *layout, struct topo_text *out)
{
    char day[16] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (localtime_r(&now, &parts))
        strftime(day, sizeof day, "%Y-%m-%d", &parts);
    topo_text_addf(
        out,
        "# TopoMPI tuning file, measured by topo-bench tune on %s: %d ranks on %d node%s, at most %d on a\n"
        "# node, %s. TOPOMPI_TUNING=FILE makes the library read it, or ~/.config/topompi/tuning.conf.\n"
        "# The first rule that fits a call decides; rules of other layouts may be added below, by hand or\n"
        "# from other such files. A rule names an algorithm of the library only where its median was %.0f %%\n"
        "# below native's and it was faster in %.0f %% of the rounds, in which both were called in turn;\n"
        "# else native. Beyond the sizes given here the library chooses as it does without a file.\n",
        day, layout->ranks, layout->nodes, topo_plural(layout->nodes), layout->node_ranks_max,
        layout->by_slot ? "placed by slot" : "not placed by slot", BENCH_TUNE_MARGIN * 100, BENCH_TUNE_ROUNDS * 100);
    if (*request->label)
        topo_text_addf(out, "# %s\n", request->label);
}

/* Can the file be written, as it will be: beside the old one, which stays as it is? */
static int can_write(const char *path)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text old = {0};
    char *content = NULL;
    struct topo_error error = {""};
    if (access(path, F_OK) == 0 && topo_read_file(path, &content, NULL, &error) != TOPO_OK)
        return cli_fail(BENCH_TOOL, CLI_FAILED, "%s", error.text);
    topo_text_add(&old, content ? content : "# TopoMPI tuning file: nothing is measured yet\n");
    topo_free(content);
    return cli_replace(BENCH_TOOL, path, &old);
}

/* After each operation. Until the last one FILE stays as it was, and who ends the job finds what was measured in
 * FILE.part. */
static int keep(const struct bench_request *request, const struct topo_text *out, bool whole)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text part = {0};
    topo_text_addf(&part, "%s.part", request->tuning);
    const char *path = part.text ? part.text : request->tuning;
    int status = whole ? cli_replace(BENCH_TOOL, request->tuning, out) : cli_write(BENCH_TOOL, path, out);
    if (whole && status == CLI_OK)
        unlink(path);
    return status;
}

int bench_tune(const struct bench_request *request, const struct bench_operation *const *operation,
               struct bench_variants *variants, int operations, const struct topo_tree *tree,
               const struct bench_link_speeds *speeds)
{
    struct topo_layout layout;
    TOPO_SCOPED_BY(topo_text_free) struct topo_text out = {0};
    int rank, status = CLI_OK, refused;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (topo_layout_of(tree, &layout) != TOPO_OK)
        PMPI_Abort(MPI_COMM_WORLD, CLI_FAILED);
    if (rank == 0) {
        introduce(request, &layout, &out);
        /* A file that cannot be written is told before minutes of measuring, not after. */
        status = can_write(request->tuning);
    }
    refused = status;
    PMPI_Bcast(&refused, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (refused == CLI_OK) {
        topo_text_add(
            &out, "\n# What messages cost at every level, in seconds and seconds per byte. Levels that these ranks\n"
                  "# do not have keep the library's defaults.\n");
        bench_levels_params(request, MPI_COMM_WORLD, tree, &out);
    }
    for (int i = 0; i < operations && refused == CLI_OK; i++) {
        struct bench_report *report = NULL;
        int measured = bench_compare(request, operation[i], &variants[i], tree, speeds, &report);
        status = measured == CLI_OK ? status : measured;
        if (rank == 0 && report) {
            topo_text_addf(&out, "\n# %s\n", operation[i]->name);
            bench_tune_rules(report, &layout, &out);
            if (keep(request, &out, i + 1 == operations) != CLI_OK)
                status = CLI_FAILED;
        }
        bench_report_free(report);
    }
    return status;
}
