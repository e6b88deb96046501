/* The arguments of `topo-dump mapping`. */
#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/cli.h"
#include "topo-dump/commands.h"
#include "topo-dump/moves.h"
#include "topo-dump/view.h"

static const struct dump_format formats[] = {{"text", dump_mapping_text, dump_moves_text},
                                             {"json", dump_mapping_json, dump_moves_json},
                                             {"dot", dump_mapping_dot, NULL},
                                             {"svg", dump_mapping_svg, dump_moves_svg}};
static const char format_names[] = "text json dot svg";

static const char help_text[] =
    "usage: topo-dump [mapping] [OPTION]...\n"
    "\n"
    "Shows the tree of a machine and what one algorithm makes of it: the renumbering of\n"
    "ranks, or, for all-reduces, the grid (or stripes) with neighbours and blocks; and the\n"
    "bytes that cross each level.\n"
    "Without --synthetic and --machine: under mpirun the job, otherwise this machine,\n"
    "one rank a core.\n"
    "\n"
    "  --synthetic TEXT       a made-up machine, e.g. \"switch:2 node:4 core:7,5,3,1\"\n"
    "  --machine FILE         the hosts of a file in Slurm's topology.conf syntax\n"
    "  --ranks N              so many ranks (default: all slots; one a host with --machine)\n"
    "  --placement slot|node  fill unit after unit, or one rank a node in turn (default slot)\n"
    "  --operation NAME       allgather (default) or allreduce\n"
    "  --algorithm NAME       algorithm of the operation (default bruck, cyclic)\n"
    "  --bytes SIZE           allreduce: of the vector of doubles (default 1M)\n"
    "  --grid AxBxC           allreduce cyclic: not the cheapest grid but this one\n"
    "  --tuning FILE          allreduce: the machine's parameters, for the choice of the grid\n"
    "  --format FORMAT        text (default), json, dot (not for allreduce) or svg\n"
    "  -o, --output FILE      write to FILE\n"
    "  -h, --help\n";

/* True when there is something to show of the algorithm; *graph is the graph of
 * its renumbering or of the plain form of one, NONE when it is shown by its moves. */
static bool is_shown(const struct topo_algorithm *row, enum topo_graph_kind *graph)
{
    *graph = TOPO_GRAPH_NONE;
    if (dump_has_moves(row))
        return true;
    *graph = row->graph;
    for (int kind = TOPO_GRAPH_RECURSIVE_DOUBLING; kind <= TOPO_GRAPH_BRUCK; kind++)
        if (!strcmp(row->name, topo_graph_name(kind)))
            *graph = kind;
    return *graph != TOPO_GRAPH_NONE;
}

static int find_algorithm(struct dump_request *request)
{
    struct topo_text names = {0};
    enum topo_graph_kind unused;
    if (!request->algorithm)
        request->algorithm = request->operation == TOPO_OPERATION_allgather ? "bruck" : "cyclic";
    request->row = topo_algorithm_find(request->operation, request->algorithm);
    if (request->row && is_shown(request->row, &request->graph))
        return CLI_OK;
    for (int i = 0; i < TOPO_ALGORITHM_COUNT; i++)
        if (topo_algorithm(i)->operation == request->operation && is_shown(topo_algorithm(i), &unused))
            topo_text_addf(&names, " %s", topo_algorithm(i)->name);
    int status = cli_fail(DUMP_TOOL, CLI_USAGE, "--algorithm %.80s: %s; allowed for %s:%s", request->algorithm,
                          request->row ? "it renumbers nothing and has no grid" : "unknown",
                          topo_operation_name(request->operation), names.failed ? " see --help" : names.text);
    topo_text_free(&names);
    return status;
}

/* What goes with the moves of an all-reduce only. */
static int check_moves(const struct dump_request *request)
{
    bool moves = request->graph == TOPO_GRAPH_NONE;
    if (!moves && (request->bytes || request->grid.dims || request->tuning))
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--bytes, --grid and --tuning need --operation allreduce");
    if (request->grid.dims && request->row->id != TOPO_ALGORITHM_allreduce_cyclic)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--grid needs --algorithm cyclic");
    if (moves && !request->format->print_moves)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--format %s: not for allreduce; allowed: text json svg",
                        request->format->name);
    return CLI_OK;
}

static int read_bytes(struct dump_request *request, const char *text)
{
    const size_t most = (size_t)INT_MAX * DUMP_ELEMENT;
    if (!topo_parse_size(text, &request->bytes) || request->bytes == 0 || request->bytes % DUMP_ELEMENT ||
        request->bytes > most)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--bytes %.80s: allowed: multiples of 8 up to 15G, as 64K", text);
    return CLI_OK;
}

static int read_operation(struct dump_request *request, const char *name)
{
    struct topo_text names = {0};
    for (int i = 0; i < TOPO_OPERATION_COUNT; i++) {
        if (!strcmp(name, topo_operation_name(i))) {
            topo_text_free(&names);
            request->operation = i;
            return CLI_OK;
        }
        topo_text_addf(&names, " %s", topo_operation_name(i));
    }
    int status = cli_fail(DUMP_TOOL, CLI_USAGE, "--operation %.80s: unknown; allowed:%s", name,
                          names.failed ? " see --help" : names.text);
    topo_text_free(&names);
    return status;
}

static int read_format(struct dump_request *request, const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(name, formats[i].name)) {
            request->format = &formats[i];
            return CLI_OK;
        }
    return cli_fail(DUMP_TOOL, CLI_USAGE, "--format %.80s: unknown; allowed: %s", name, format_names);
}

static int read_one(struct dump_request *request, int letter, const char *value)
{
    struct topo_error error = {""};
    long number;
    switch (letter) {
    case 's': request->synthetic = value; return CLI_OK;
    case 'm': request->machine = value; return CLI_OK;
    case 'a': request->algorithm = value; return CLI_OK;
    case 'o': request->output = value; return CLI_OK;
    case 'h': request->help = true; return CLI_OK;
    case 'p': return read_operation(request, value);
    case 'f': return read_format(request, value);
    case 'b': return read_bytes(request, value);
    case 't': request->tuning = value; return CLI_OK;
    case 'g':
        if (topo_grid_option("--grid", value, &request->grid, &error) != TOPO_OK)
            return cli_fail(DUMP_TOOL, CLI_USAGE, "%s", error.text);
        return CLI_OK;
    case 'n':
        if (!topo_parse_long(value, 1, INT_MAX, &number))
            return cli_fail(DUMP_TOOL, CLI_USAGE, "--ranks %.80s: not a number of ranks; allowed: 1..%d", value,
                            INT_MAX);
        request->ranks = (int)number;
        return CLI_OK;
    default: /* placement */
        if (strcmp(value, "slot") && strcmp(value, "node"))
            return cli_fail(DUMP_TOOL, CLI_USAGE, "--placement %.80s: unknown; allowed: slot node", value);
        request->placed = true;
        request->placement = !strcmp(value, "node") ? TOPO_PLACEMENT_NODE : TOPO_PLACEMENT_SLOT;
        return CLI_OK;
    }
}

int dump_request_read(int argc, char **argv, struct dump_request *request)
{
    static const struct option options[] = {{"synthetic", required_argument, NULL, 's'},
                                            {"machine", required_argument, NULL, 'm'},
                                            {"ranks", required_argument, NULL, 'n'},
                                            {"placement", required_argument, NULL, 'P'},
                                            {"operation", required_argument, NULL, 'p'},
                                            {"algorithm", required_argument, NULL, 'a'},
                                            {"bytes", required_argument, NULL, 'b'},
                                            {"grid", required_argument, NULL, 'g'},
                                            {"tuning", required_argument, NULL, 't'},
                                            {"format", required_argument, NULL, 'f'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    int letter, status;
    *request = (struct dump_request){.operation = TOPO_OPERATION_allgather, .format = &formats[0]};
    opterr = 0;
    while ((letter = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
        if (letter == '?' || letter == ':')
            return cli_bad_option(DUMP_TOOL, argv, optind, optopt, letter == ':');
        status = read_one(request, letter, optarg);
        if (status != CLI_OK)
            return status;
    }
    if (request->help) {
        fputs(help_text, stdout);
        return CLI_OK;
    }
    if (optind < argc)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "unexpected argument %.80s; see topo-dump --help", argv[optind]);
    if (request->synthetic && request->machine)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--synthetic and --machine exclude each other");
    if (request->placed && !request->synthetic && !request->machine)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--placement needs --synthetic or --machine");
    status = find_algorithm(request);
    if (status == CLI_OK)
        status = check_moves(request);
    if (!request->bytes)
        request->bytes = 1 << 20;
    return status;
}
