/* topo-dump placement: which order of a job's ranks moves fewer bytes between its nodes, for the launchers. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "common/cli.h"
#include "common/options.h"
#include "machine/build.h"
#include "predict/mpi/trace_matrix.h"
#include "schedule/matrix_file.h"
#include "topo-dump/commands.h"
#include "topo-dump/stats_file.h"
#include "topo-dump/view.h"

struct request {
    const char *hosts, *machine, *tuning, *output;
    const char *source; /* the operand */
};

static const struct cli_option options[] = {
    {0, "hosts", "FILE", "of a matrix: the host of each rank as it is now, one a line",
     CLI_TEXT(struct request, hosts)},
    {0, "machine", "FILE", "switches between the hosts (syntax of Slurm's topology.conf)",
     CLI_TEXT(struct request, machine)},
    {0, "tuning", "FILE", "the machine's rates are those of a tuning file", CLI_TEXT(struct request, tuning)},
    {'o', "output", "FILE", "write the host of each rank there, one a line; the report then has the launchers' options",
     CLI_TEXT(struct request, output)},
    {0}};

static const struct cli_command command = {
    .name = "topo-dump placement",
    .usage =
        "usage: topo-dump placement [OPTION]... DIR\n"
        "       topo-dump placement [OPTION]... REPORT\n"
        "       topo-dump placement [OPTION]... --hosts FILE MATRIX\n\n"
        "Seeks an order of a job's ranks on the same nodes that moves fewer bytes between them. The bytes are those\n"
        "of a trace (topompi-run --trace DIR), of the messages in a report (--stats=FILE.json or FILE.html), or of a\n"
        "CSV or MatrixMarket file: row i is what rank i sends.\n",
    .options = options,
    .takes_operands = true};

/* What is known of the job; the strings are the trace's, the report's, or in `text`. */
struct job {
    struct topo_trace_run run;
    struct topo_trace_matrix bytes;
    struct topo_tree *tree;
    struct topo_place *place; /* [ranks] */
    char *text;
    json_t *report;
    const char *calls; /* in which messages go; NULL: nobody knows how long that took */
};

static int complain(enum topo_status status, const struct topo_error *error)
{
    return cli_fail(DUMP_TOOL, CLI_FAILED, "%s", status == TOPO_NOMEM ? "out of memory" : error->text);
}

static const char *no_variable(const char *name)
{
    (void)name;
    return NULL;
}

static enum topo_status build_tree(const struct request *request, struct job *job, int ranks, struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text spec = {0};
    topo_text_addf(&spec, request->machine ? "file:%s" : "auto", request->machine ? request->machine : "");
    for (int i = 0; i < ranks; i++) {
        job->place[i].slurm_address = "";
        job->place[i].package = job->place[i].numa = job->place[i].l3 = job->place[i].core = -1;
    }
    return spec.failed ? TOPO_NOMEM : topo_machine_build(spec.text, job->place, ranks, no_variable, &job->tree, error);
}

static enum topo_status read_trace(const struct request *request, struct job *job, struct topo_error *error)
{
    struct topo_notes notes = {0};
    enum topo_status status = topo_trace_read(request->source, &job->run, NULL, &notes);
    if (status != TOPO_OK && notes.kept)
        topo_fail(error, status, "%s", notes.list[0].text);
    else if (job->run.missing)
        status = topo_fail(error, TOPO_INVALID, "%s: %d of %d ranks are missing", request->source, job->run.missing,
                           job->run.ranks);
    for (int i = 0; status == TOPO_OK && i < notes.kept; i++) /* such as records that found no room */
        cli_fail(DUMP_TOOL, CLI_OK, "%s", notes.list[i].text);
    topo_notes_free(&notes);
    if (status != TOPO_OK)
        return status;
    job->calls = "point-to-point calls";
    job->place = topo_calloc((size_t)job->run.ranks, sizeof *job->place);
    for (int i = 0; job->place && i < job->run.ranks; i++)
        job->place[i].host = job->run.rank[i].job.host;
    status = job->place ? build_tree(request, job, job->run.ranks, error) : TOPO_NOMEM;
    return status == TOPO_OK ? topo_trace_matrix(&job->run, job->tree, &job->bytes, error) : status;
}

static enum topo_status read_matrix(const struct request *request, struct job *job, struct topo_error *error)
{
    char *rest = NULL;
    int hosts = 0;
    enum topo_status status = topo_matrix_read(request->source, &job->bytes.matrix, error);
    if (status == TOPO_OK)
        status = topo_read_file(request->hosts, &job->text, NULL, error);
    if (status != TOPO_OK)
        return status;
    const int ranks = job->bytes.matrix->senders;
    job->place = topo_calloc((size_t)ranks, sizeof *job->place);
    if (!job->place)
        return TOPO_NOMEM;
    for (char *host = strtok_r(job->text, " \t\r\n", &rest); host; host = strtok_r(NULL, " \t\r\n", &rest), hosts++)
        if (hosts < ranks)
            job->place[hosts].host = host;
    if (hosts != ranks || job->bytes.matrix->receivers != ranks)
        return topo_fail(error, TOPO_INVALID,
                         "%s has %d hosts, %s %d senders and %d receivers; needed: as many of each", request->hosts,
                         hosts, request->source, ranks, job->bytes.matrix->receivers);
    return build_tree(request, job, ranks, error);
}

/* Messages of a report, as they are: of each rank those to the peers that it counted. */
static enum topo_status read_report(const struct request *request, struct job *job, struct topo_error *error)
{
    size_t i;
    json_t *one, *all = json_object_get(job->report, "all"), *list = json_object_get(all, "ranks"),
                 *messages = json_object_get(all, "messages"), *total = json_object_get(all, "total");
    const int ranks = (int)json_array_size(list), count = (int)json_array_size(messages);
    TOPO_SCOPED struct topo_message *message = topo_calloc((size_t)count + 1, sizeof *message);
    job->place = topo_calloc((size_t)ranks + 1, sizeof *job->place);
    if (!message || !job->place)
        return TOPO_NOMEM;
    if (count == 0 || ranks != json_integer_value(json_object_get(job->report, "ranks")))
        return topo_fail(error, TOPO_INVALID, "%s: %s", request->source,
                         count ? "some ranks are missing" : "no rank sent a message");
    json_array_foreach(list, i, one)
    {
        job->place[i].host = json_string_value(json_object_get(one, "host"));
        job->bytes.run = fmax(job->bytes.run, 1e-9 * json_number_value(json_object_get(one, "run_ns")));
        if (!job->place[i].host || json_integer_value(json_object_get(one, "rank")) != (json_int_t)i)
            return topo_fail(error, TOPO_PARSE, "%s: no host of rank %d", request->source, (int)i);
    }
    json_array_foreach(messages, i, one) message[i] = (struct topo_message){
        (int)json_integer_value(json_object_get(one, "from")), (int)json_integer_value(json_object_get(one, "to")),
        json_integer_value(json_object_get(one, "bytes"))};
    job->bytes.messages =
        1e-9 *
        fmax(0, json_number_value(json_object_get(total, "mpi_ns")) - json_number_value(json_object_get(total, "ns"))) /
        ranks;
    job->calls = "MPI beside the collectives that the library takes over";
    enum topo_status status = topo_matrix_new(ranks, ranks, message, count, &job->bytes.matrix, error);
    if (status == TOPO_OK)
        status = build_tree(request, job, ranks, error);
    const int nodes = (int)json_integer_value(json_object_get(job->report, "nodes")),
              hosts = status == TOPO_OK ? job->tree->units[topo_tree_node_level(job->tree)] : nodes;
    if (hosts != nodes) /* made up, or long names that were cut */
        status = topo_fail(error, TOPO_INVALID, "%s: %d nodes, but %d names of hosts; a trace has them whole",
                           request->source, nodes, hosts);
    return status;
}

/* -- what is shown -- */

static double share(int64_t part, int64_t all)
{
    return all > 0 ? 100.0 * (double)part / (double)all : 0;
}

static void add_levels(const struct job *job, const struct topo_mapping *mapping, struct topo_text *out)
{
    int64_t all = 0;
    for (int z = 0; z <= job->tree->levels; z++)
        all += mapping->bytes_before[z];
    topo_text_addf(out, "bytes between %d ranks on %d nodes\n%-36s %20s %8s %20s %8s\n", job->tree->ranks,
                   job->tree->units[topo_tree_node_level(job->tree)], "", "now", "", "in this order", "");
    for (int z = 0; z <= job->tree->levels; z++) {
        TOPO_SCOPED_BY(topo_text_free) struct topo_text label = {0};
        char before[32], after[32];
        dump_level_label(job->tree, z, &label);
        topo_text_addf(out, "  %-34s %20s %6.1f %% %20s %6.1f %%\n", label.text ? label.text : "",
                       dump_number(mapping->bytes_before[z], before), share(mapping->bytes_before[z], all),
                       dump_number(mapping->bytes_after[z], after), share(mapping->bytes_after[z], all));
    }
    topo_text_addf(out, "%.1f %% cross between nodes now, %.1f %% in this order\n",
                   share(mapping->edge_cut_before, all), share(mapping->edge_cut_after, all));
}

/* A trace knows the time in calls, not how much of it the bytes took: between nothing and all. */
static void add_gain(const struct job *job, const struct topo_mapping *mapping, const struct topo_params *params,
                     struct topo_text *out)
{
    const double before = dump_transfer_seconds(job->tree, params, mapping->bytes_before),
                 after = dump_transfer_seconds(job->tree, params, mapping->bytes_after);
    const double most = before > after ? job->bytes.messages * (1 - after / before) : 0;
    if (job->calls)
        topo_text_addf(out,
                       "gain: %.3f +- %.3f s of a rank, which is %.3f of %.3f s in %s: most if all that goes to these "
                       "bytes, each at its level's rate; nothing if it is waiting\n",
                       most / 2, most / 2, job->bytes.messages, job->bytes.run, job->calls);
}

/* The host of each of the program's ranks. */
static void add_hosts(const struct job *job, const struct topo_mapping *mapping, struct topo_text *out)
{
    for (int v = 0; v < mapping->ranks; v++)
        topo_text_addf(out, "%s\n", job->place[mapping->pi_inverse[v]].host);
}

/* All take such a list. MPICH's Hydra takes a host that is named again for another node; its -rankmap, which does not,
 * ends by a double free where ranks of a node are apart (5.0.2). */
static void add_launchers(const struct request *request, const struct topo_mapping *mapping, struct topo_text *out)
{
    static const char *const launchers[][3] = {{"Open MPI 4 and 5", "mpirun --hostfile ", " --map-by seq -np"},
                                               {"Slurm", "SLURM_HOSTFILE=", " srun -m arbitrary -n"},
                                               {"MPICH and Intel MPI", "mpiexec -machinefile ", " -n"}};
    topo_text_addf(out, "%s has the host of each rank:\n", request->output);
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        topo_text_addf(out, "  %-20s %s%s%s %d ./program\n", launchers[i][0], launchers[i][1], request->output,
                       launchers[i][2], mapping->ranks);
    topo_text_add(out, "  (of MPICH ranks of a node that are apart in this list share no memory)\n");
}

static int show(const struct request *request, const struct job *job)
{
    const struct dump_request rates = {.tuning = request->tuning};
    TOPO_SCOPED_BY(topo_graph_end) struct topo_graph *graph = NULL;
    TOPO_SCOPED_BY(topo_mapping_end) struct topo_mapping *mapping = NULL;
    TOPO_SCOPED_BY(topo_text_free) struct topo_text out = {0}, hosts = {0};
    struct topo_params params;
    struct topo_error error = {""};
    int status = dump_params(&rates, &params);
    if (status != CLI_OK)
        return status;
    enum topo_status built = dump_graph_of(job->bytes.matrix, &graph, &error);
    if (built == TOPO_OK)
        built = topo_mapping_of_graph(job->tree, graph, TOPO_PARTITIONER_AUTO, &mapping, &error);
    if (built != TOPO_OK)
        return complain(built, &error);
    add_levels(job, mapping, &out);
    add_gain(job, mapping, &params, &out);
    if (request->output) {
        add_hosts(job, mapping, &hosts);
        status = cli_write(DUMP_TOOL, request->output, &hosts);
        add_launchers(request, mapping, &out);
    }
    return status == CLI_OK ? cli_write(DUMP_TOOL, NULL, &out) : status;
}

int dump_placement(int argc, char **argv)
{
    struct request request = {0};
    struct job job = {.place = NULL};
    struct topo_error error = {""};
    struct stat about;
    int operand, status = cli_options(&command, argc, argv, &request, &operand, NULL);
    if (status != CLI_OK)
        return status == CLI_DONE ? CLI_OK : status;
    if (operand != argc - 1)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "placement: one folder of a trace or one matrix is needed");
    request.source = argv[operand];
    const bool folder = stat(request.source, &about) == 0 && S_ISDIR(about.st_mode);
    if (folder && request.hosts)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--hosts: a trace has its hosts");
    if (!folder && !request.hosts && (status = dump_stats_read(request.source, &job.report)) != CLI_OK)
        return status;
    const enum topo_status read = (folder       ? read_trace
                                   : job.report ? read_report
                                                : read_matrix)(&request, &job, &error);
    status = read == TOPO_OK ? show(&request, &job) : complain(read, &error);
    topo_trace_run_free(&job.run);
    topo_matrix_free(job.bytes.matrix);
    topo_tree_free(job.tree);
    topo_free_all(job.place, job.text);
    json_decref(job.report);
    return status;
}
