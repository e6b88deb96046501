/* The arguments of `topo-dump mapping`. */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/cli.h"
#include "common/options.h"
#include "base/memory.h"
#include "select/tuning.h"
#include "topo-dump/commands.h"
#include "topo-dump/allreduce_steps.h"
#include "topo-dump/view.h"

static const struct dump_format formats[] = {{"text", dump_mapping_text, dump_allreduce_steps_text},
                                             {"json", dump_mapping_json, dump_allreduce_steps_json},
                                             {"dot", dump_mapping_dot, NULL},
                                             {"svg", dump_mapping_svg, dump_allreduce_steps_svg}};

/* True when there is something to show of the algorithm; *graph is the graph of
 * its renumbering or of the plain form of one, NONE when it is shown by its steps. */
static bool is_shown(const struct topo_algorithm *row, enum topo_graph_kind *graph)
{
    *graph = TOPO_GRAPH_NONE;
    if (dump_has_moves(row))
        return true;
    *graph = row->graph;
    if (row->id == TOPO_ALGORITHM_allgather_ring_by_rank)
        *graph = TOPO_GRAPH_RING;
    for (int kind = TOPO_GRAPH_NONE + 1; kind < TOPO_GRAPHS; kind++)
        if (!strcmp(row->name, topo_graph_name(kind)))
            *graph = kind;
    return *graph != TOPO_GRAPH_NONE;
}

/* "cyclic:4x4" is cyclic with --grid 4x4. `name` gets what stands before the colon. */
static int split_grid(struct dump_request *request, char *name, size_t size)
{
    const char *colon = request->operation == TOPO_OPERATION_allreduce ? strchr(request->algorithm, ':') : NULL;
    struct topo_error error = {""};
    snprintf(name, size, "%.*s", colon ? (int)(colon - request->algorithm) : -1, request->algorithm);
    if (!colon)
        return CLI_OK;
    if (request->grid.dims)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--algorithm %.80s: --grid gives a grid, too", request->algorithm);
    if (topo_grid_parse("--algorithm", colon + 1, &request->grid, &error) != TOPO_OK)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "%s", error.text);
    return CLI_OK;
}

static int find_algorithm(struct dump_request *request)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text names = {0};
    enum topo_graph_kind unused;
    char name[80];
    if (request->operation != TOPO_OPERATION_allgather && request->operation != TOPO_OPERATION_allreduce)
        return cli_fail(DUMP_TOOL, CLI_USAGE,
                        "--operation %s: none of its algorithms renumbers or has a grid; allowed: allgather allreduce",
                        topo_operation_name(request->operation));
    if (!request->algorithm)
        request->algorithm = request->operation == TOPO_OPERATION_allgather ? "bruck" : "cyclic";
    int split = split_grid(request, name, sizeof name);
    if (split != CLI_OK)
        return split;
    request->row = topo_algorithm_find(request->operation, name);
    if (request->row)
        request->algorithm = request->row->name;
    if (request->row && is_shown(request->row, &request->graph))
        return CLI_OK;
    for (int i = 0; i < TOPO_ALGORITHM_COUNT; i++)
        if (topo_algorithm(i)->operation == request->operation && is_shown(topo_algorithm(i), &unused))
            topo_text_addf(&names, " %s", topo_algorithm(i)->name);
    int status = cli_fail(DUMP_TOOL, CLI_USAGE, "--algorithm %.80s: %s; allowed for %s:%s", request->algorithm,
                          request->row ? "it renumbers nothing and has no grid" : "unknown",
                          topo_operation_name(request->operation), names.failed ? " see --help" : names.text);
    return status;
}

/* What goes with the steps of an all-reduce only. */
static int check_moves(const struct dump_request *request)
{
    bool steps = request->graph == TOPO_GRAPH_NONE;
    if (!steps && (request->bytes || request->grid.dims))
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--bytes and --grid need --operation allreduce");
    if (steps && request->partitioner != TOPO_PARTITIONER_AUTO && request->row->graph == TOPO_GRAPH_NONE)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--partitioner: %s renumbers nothing", request->algorithm);
    if (request->grid.dims && request->row->id != TOPO_ALGORITHM_allreduce_cyclic)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--grid needs --algorithm cyclic");
    if (steps && !request->format->print_moves)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--format %s: not for allreduce; allowed: text json svg",
                        request->format->name);
    return CLI_OK;
}

static enum topo_status read_bytes(void *into, const struct cli_option *option, const char *text,
                                   struct topo_error *error)
{
    const size_t most = (size_t)INT_MAX * DUMP_ELEMENT;
    struct dump_request *request = into;
    if (topo_parse_size(text, &request->bytes) && request->bytes && request->bytes % DUMP_ELEMENT == 0 &&
        request->bytes <= most)
        return TOPO_OK;
    return topo_fail(error, TOPO_PARSE, "--%s %.80s: allowed: multiples of 8 up to 15G, as 64K", option->name, text);
}

static enum topo_status read_grid(void *into, const struct cli_option *option, const char *text,
                                  struct topo_error *error)
{
    (void)option;
    return topo_grid_option("--grid", text, &((struct dump_request *)into)->grid, error);
}

/* All of the library's, each after a bar. */
static const char operations[] =
#define OPERATION(name, ...) "|" #name
#include "catalog/operations.def"
    ;

#define TEXT(member) CLI_TEXT(struct dump_request, member)

static const struct cli_option options[] = {
    {0, "synthetic", "TEXT", "a made-up machine, e.g. \"switch:2 node:4 core:7,5,3,1\"", TEXT(synthetic)},
    {0, "machine", "FILE", "the hosts of a file in Slurm's topology.conf syntax", TEXT(machine)},
    {0, "ranks", "N", "so many ranks (default: all slots; one a host with --machine)",
     CLI_NUMBER(struct dump_request, ranks, 1, INT_MAX)},
    {0, "placement", "slot|node", "fill unit after unit, or one rank a node in turn (default slot)", TEXT(placed)},
    {0, "operation", "NAME", "allgather (default) or allreduce", CLI_WORD(struct dump_request, operation),
     .words = operations + 1},
    {0, "algorithm", "NAME", "algorithm of the operation (default bruck, cyclic)", TEXT(algorithm)},
    {0, "random", "SPEC",
     "a random graph in place of an algorithm's, e.g. \"N=64,E=4N,total=512M,seed=1\"; needs --synthetic",
     TEXT(random)},
    {0, "matrix", "FILE", "a graph in place of an algorithm's: who sends how much, as topo-dump schedule reads it",
     TEXT(matrix)},
    {0, "partitioner", "auto|metis|closed_form",
     "who divides the graph: closed forms, refined, or METIS; METIS; closed forms as they are (default auto)",
     CLI_WORD(struct dump_request, partitioner)},
    {0, "bytes", "SIZE", "allreduce: of the vector of doubles (default 1M)", .read = read_bytes},
    {0, "grid", "AxBxC", "allreduce cyclic: not the cheapest grid but this one; --algorithm cyclic:AxBxC is the same",
     .read = read_grid},
    {0, "tuning", "FILE", "the machine's parameters: bandwidths, and for allreduce the choice of the grid",
     TEXT(tuning)},
    {0, "summary", NULL, "text: figures alone, without units and ranks one by one",
     CLI_FLAG(struct dump_request, summary)},
    {0, "format", "text|json|dot|svg", "the form (default text); dot not for allreduce",
     CLI_WORD(struct dump_request, form)},
    {'o', "output", "FILE", "write to FILE", TEXT(output)},
    {0}};

static const struct cli_command command = {
    .name = DUMP_TOOL,
    .usage = "usage: topo-dump [mapping] [OPTION]...\n\n"
             "Shows the tree of a machine and what one algorithm makes of it: the renumbering of\n"
             "ranks, or, for all-reduces, the grid (or stripes) with neighbours and blocks; and the\n"
             "bytes that cross each level.\n"
             "Without --synthetic and --machine: under mpirun the job, otherwise this machine,\n"
             "one rank a core.\n",
    .options = options};

/* What goes with a graph that is no algorithm's. */
static int check_given(const struct dump_request *request)
{
    if (request->random && request->matrix)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--random and --matrix exclude each other");
    if (!request->synthetic && !request->machine)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--random and --matrix need --synthetic or --machine");
    if (request->algorithm || request->operation != TOPO_OPERATION_allgather || request->bytes || request->grid.dims)
        return cli_fail(DUMP_TOOL, CLI_USAGE,
                        "--random and --matrix take the place of --operation, --algorithm, --bytes and --grid");
    if (!strcmp(request->format->name, "svg"))
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--format svg: not for --random and --matrix; allowed: text json dot");
    return CLI_OK;
}

int dump_request_read(int argc, char **argv, struct dump_request *request)
{
    int operand, status;
    *request = (struct dump_request){.operation = TOPO_OPERATION_allgather};
    status = cli_options(&command, argc, argv, request, &operand, NULL);
    request->format = &formats[request->form];
    request->placement =
        request->placed && !strcmp(request->placed, "node") ? TOPO_PLACEMENT_NODE : TOPO_PLACEMENT_SLOT;
    if (status != CLI_OK)
        return status;
    if (request->synthetic && request->machine)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--synthetic and --machine exclude each other");
    if (request->summary && strcmp(request->format->name, "text"))
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--summary goes with --format text");
    if (request->placed && !request->synthetic && !request->machine)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--placement needs --synthetic or --machine");
    if (request->random || request->matrix)
        return check_given(request);
    status = find_algorithm(request);
    if (status == CLI_OK)
        status = check_moves(request);
    if (!request->bytes)
        request->bytes = 1 << 20;
    return status;
}

int dump_params(const struct dump_request *request, struct topo_params *params)
{
    struct topo_tuning tuning = {0};
    struct topo_error error = {""};
    char *content = NULL;
    topo_params_default(params);
    if (!request->tuning)
        return CLI_OK;
    enum topo_status status = topo_read_file(request->tuning, &content, NULL, &error);
    if (status == TOPO_OK)
        status = topo_tuning_parse(content, request->tuning, &tuning, &error);
    if (status == TOPO_OK)
        *params = tuning.params;
    topo_tuning_free(&tuning);
    topo_free(content);
    if (status == TOPO_OK)
        return CLI_OK;
    return cli_fail(DUMP_TOOL, status == TOPO_NOMEM ? CLI_FAILED : CLI_USAGE, "%s", error.text);
}
