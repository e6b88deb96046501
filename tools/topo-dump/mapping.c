/* topo-dump mapping: reads the request, finds the tree, builds the mapping, shows it. */
#include <string.h>

#include "base/memory.h"
#include "common/cli.h"
#include "topo-dump/commands.h"
#include "topo-dump/job.h"
#include "topo-dump/allreduce_steps.h"
#include "topo-dump/view.h"

double dump_transfer_seconds(const struct topo_tree *tree, const struct topo_params *params, const int64_t *bytes)
{
    double seconds = 0;
    for (int z = 0; z <= tree->levels; z++)
        seconds += (double)bytes[z] * topo_params_link(params, tree, z)->beta;
    return seconds;
}

/* Builds the mapping of the tree and writes it out. */
static int show(const struct dump_request *request, const char *source, const struct topo_tree *tree)
{
    struct dump_view view = {.request = request, .tree = tree, .source = source};
    struct topo_mapping *mapping = NULL;
    struct topo_error error = {""};
    TOPO_SCOPED_BY(topo_graph_end) struct topo_graph *given = NULL;
    TOPO_SCOPED_BY(topo_text_free) struct topo_text out = {0};
    struct topo_params params;
    int status = dump_params(request, &params);
    if (status == CLI_OK && (request->random || request->matrix))
        status = dump_given_graph(request, &given);
    if (status != CLI_OK)
        return status;
    enum topo_status built = given ? topo_mapping_of_graph(tree, given, request->partitioner, &mapping, &error)
                                   : topo_mapping_build(tree, request->graph, request->partitioner, &mapping, &error);
    if (built != TOPO_OK) {
        status = cli_fail(DUMP_TOOL, built == TOPO_INVALID ? CLI_USAGE : CLI_FAILED, "%s%s: %s",
                          given ? "the graph" : "--algorithm ", given ? "" : request->algorithm, error.text);
        goto out;
    }
    view.seconds_before = dump_transfer_seconds(tree, &params, mapping->bytes_before);
    view.seconds_after = dump_transfer_seconds(tree, &params, mapping->bytes_after);
    view.mapping = mapping;
    if (!dump_view_tree(&view)) {
        status = cli_fail(DUMP_TOOL, CLI_FAILED, "out of memory for %d ranks", tree->ranks);
        goto out;
    }
    request->format->print(&view, &out);
    status = cli_write(DUMP_TOOL, request->output, &out);
out:
    topo_mapping_free(mapping);
    topo_free(view.order);
    return status;
}

/* What the tree was made of, for people. */
static const char *source_name(const struct dump_request *request, bool job)
{
    return request->synthetic ? "synthetic machine"
           : request->machine ? request->machine
           : job              ? "job"
                              : "this machine";
}

int dump_mapping(int argc, char **argv)
{
    struct dump_request request = {0};
    TOPO_SCOPED_BY(topo_tree_end) struct topo_tree *tree = NULL;
    struct dump_job job;
    bool whole_job = false; /* the tree is that of the job: all its ranks take part */
    int status = CLI_OK;
    dump_job_begin(&job);
    if (job.speaks) {
        status = dump_request_read(argc, argv, &request);
        whole_job = job.launched && !request.synthetic && !request.machine;
        if (status == CLI_OK && whole_job && request.ranks)
            status = cli_fail(DUMP_TOOL, CLI_USAGE, "--ranks: a job has its own number of ranks, here %d", job.ranks);
    }
    dump_job_share(&job, &status, &whole_job);
    if (status != CLI_OK)
        return dump_job_end(&job, status == CLI_DONE ? CLI_OK : status);
    if (whole_job)
        status = dump_job_tree(&job, &tree);
    else if (job.speaks)
        status = dump_offline_tree(&request, &tree);
    if (status == CLI_OK && job.speaks)
        status = (request.row && request.graph == TOPO_GRAPH_NONE ? dump_allreduce_steps_show : show)(
            &request, source_name(&request, job.launched), tree);
    return dump_job_end(&job, status == CLI_DONE ? CLI_OK : status);
}
