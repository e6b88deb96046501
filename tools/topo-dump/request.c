/* The arguments of `topo-dump mapping`. */
#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/cli.h"
#include "topo-dump/commands.h"
#include "topo-dump/view.h"

static const struct dump_format formats[] = {
    {"text", dump_mapping_text}, {"json", dump_mapping_json}, {"dot", dump_mapping_dot}, {"svg", dump_mapping_svg}};
static const char format_names[] = "text json dot svg";

static const char help_text[] =
    "usage: topo-dump [mapping] [OPTION]...\n"
    "\n"
    "Shows the tree of a machine and the renumbering of ranks for one algorithm.\n"
    "Without --synthetic and --machine: under mpirun the job, otherwise this machine,\n"
    "one rank a core.\n"
    "\n"
    "  --synthetic TEXT       a made-up machine, e.g. \"switch:2 node:4 core:7,5,3,1\"\n"
    "  --machine FILE         the hosts of a file in Slurm's topology.conf syntax\n"
    "  --ranks N              so many ranks (default: all slots; one a host with --machine)\n"
    "  --placement slot|node  fill unit after unit, or one rank a node in turn (default slot)\n"
    "  --operation NAME       allgather (default)\n"
    "  --algorithm NAME       algorithm of the operation (default bruck)\n"
    "  --format FORMAT        text (default), json, dot or svg\n"
    "  -o, --output FILE      write to FILE\n"
    "  -h, --help\n";

/* An algorithm that uses a renumbering, or the plain form of one (its graph). */
static int find_algorithm(struct dump_request *request)
{
    struct topo_text names = {0};
    const struct topo_algorithm *row = topo_algorithm_find(request->operation, request->algorithm);
    int status = CLI_OK;
    request->graph = row ? row->graph : TOPO_GRAPH_NONE;
    for (int kind = TOPO_GRAPH_RECURSIVE_DOUBLING; row && kind <= TOPO_GRAPH_BRUCK; kind++)
        if (!strcmp(request->algorithm, topo_graph_name(kind)))
            request->graph = kind;
    if (request->graph != TOPO_GRAPH_NONE)
        return CLI_OK;
    for (int i = 0; i < TOPO_ALGORITHM_COUNT; i++) {
        const struct topo_algorithm *other = topo_algorithm(i);
        bool shown = other->graph != TOPO_GRAPH_NONE;
        for (int kind = TOPO_GRAPH_RECURSIVE_DOUBLING; kind <= TOPO_GRAPH_BRUCK; kind++)
            shown = shown || !strcmp(other->name, topo_graph_name(kind));
        if (shown && other->operation == request->operation)
            topo_text_addf(&names, " %s", other->name);
    }
    const char *allowed = names.failed ? " see --help" : names.text ? names.text : " none";
    if (row)
        status = cli_fail(DUMP_TOOL, CLI_USAGE, "--algorithm %.80s: it renumbers nothing; allowed for %s:%s",
                          request->algorithm, topo_operation_name(request->operation), allowed);
    else
        status = cli_fail(DUMP_TOOL, CLI_USAGE, "--algorithm %.80s: unknown; allowed for %s:%s", request->algorithm,
                          topo_operation_name(request->operation), allowed);
    topo_text_free(&names);
    return status;
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
    long number;
    switch (letter) {
    case 's': request->synthetic = value; return CLI_OK;
    case 'm': request->machine = value; return CLI_OK;
    case 'a': request->algorithm = value; return CLI_OK;
    case 'o': request->output = value; return CLI_OK;
    case 'h': request->help = true; return CLI_OK;
    case 'p': return read_operation(request, value);
    case 'f': return read_format(request, value);
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
                                            {"format", required_argument, NULL, 'f'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    int letter, status;
    *request =
        (struct dump_request){.operation = TOPO_OPERATION_allgather, .algorithm = "bruck", .format = &formats[0]};
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
    return find_algorithm(request);
}
