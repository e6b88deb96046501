/* topo-dump schedule: the arguments, and the order of things. */
#include "topo-dump/schedule.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/cli.h"
#include "topo-dump/commands.h"

static const struct {
    const char *name, *help;
} schedulers[DUMP_SCHEDULERS] = {
#define X(name, help) {#name, help},
    DUMP_SCHEDULER_MAP(X)
#undef X
};

static const struct {
    const char *name;
    void (*print)(const void *view, struct topo_text *out);
} formats[] = {{"text", dump_schedule_text}, {"json", dump_schedule_json}, {"svg", dump_schedule_svg}};

const char *dump_scheduler_name(enum dump_scheduler scheduler)
{
    return schedulers[scheduler].name;
}

const char *dump_scheduler_help(enum dump_scheduler scheduler)
{
    return schedulers[scheduler].help;
}

static int help(void)
{
    printf("usage: topo-dump schedule --matrix FILE | --redistribute TEXT | --random SPEC [OPTION]...\n"
           "\n"
           "Shows who sends how much to whom, the steps of one scheduler and the figures of all.\n"
           "\n"
           "  --matrix FILE          CSV (a table, or a list under sender,receiver,bytes) or MatrixMarket\n"
           "  --redistribute TEXT    block-cyclic arrays, e.g. \"cyclic(3)@5 -> cyclic(4)@5\"\n"
           "  --access A1,B1,A2,B2   of the loop A(A1 i + B1) = B(A2 i + B2) (default 1,0,1,0)\n"
           "  --length N             iterations of the loop (default one period)\n"
           "  --random SPEC          e.g. \"N=64,E=4N,total=512M,seed=1\"; E also as N^2/4\n"
           "  --scheduler NAME       whose steps are shown (default css for --redistribute, else drc)\n"
           "  --only                 run no other scheduler\n"
           "  --k K                  ggp: at most K messages at a time (default all senders)\n"
           "  --unit BYTES           ggp: weights are rounded up to multiples (default 1)\n"
           "  --synthetic TEXT       the machine, e.g. \"node:4 core:4\": figures of its links\n"
           "  --format FORMAT        text (default), json or svg\n"
           "  -o, --output FILE      write to FILE\n"
           "  -h, --help\n"
           "\n"
           "schedulers:\n");
    for (int i = 0; i < DUMP_SCHEDULERS; i++)
        printf("  %-12s %s\n", schedulers[i].name, schedulers[i].help);
    return CLI_OK;
}

static int read_scheduler(struct dump_schedule_request *request, const char *name)
{
    struct topo_text names = {0};
    for (int i = 0; i < DUMP_SCHEDULERS; i++) {
        if (!strcmp(name, schedulers[i].name)) {
            topo_text_free(&names);
            request->shown = i;
            request->chosen = true;
            return CLI_OK;
        }
        topo_text_addf(&names, " %s", schedulers[i].name);
    }
    int status = cli_fail(DUMP_TOOL, CLI_USAGE, "--scheduler %.80s: unknown; allowed:%s", name,
                          names.failed ? " see --help" : names.text);
    topo_text_free(&names);
    return status;
}

static int read_format(struct dump_schedule_request *request, const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(name, formats[i].name)) {
            request->print = formats[i].print;
            return CLI_OK;
        }
    return cli_fail(DUMP_TOOL, CLI_USAGE, "--format %.80s: unknown; allowed: text json svg", name);
}

static int read_one(struct dump_schedule_request *request, int letter, const char *value)
{
    long number;
    switch (letter) {
    case 'm': request->matrix_file = value; return CLI_OK;
    case 'r': request->redistribute = value; return CLI_OK;
    case 'a': request->access = value; return CLI_OK;
    case 'R': request->random = value; return CLI_OK;
    case 's': request->synthetic = value; return CLI_OK;
    case 'o': request->output = value; return CLI_OK;
    case 'h': request->help = true; return CLI_OK;
    case 'O': request->only = true; return CLI_OK;
    case 'S': return read_scheduler(request, value);
    case 'f': return read_format(request, value);
    case 'l':
        if (topo_parse_long(value, 1, LONG_MAX, &request->length))
            return CLI_OK;
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--length %.80s: not a number of iterations of 1 or more", value);
    case 'k':
        if (!topo_parse_long(value, 1, INT_MAX, &number))
            return cli_fail(DUMP_TOOL, CLI_USAGE, "--k %.80s: not a number of messages; allowed: 1..%d", value,
                            INT_MAX);
        request->k = (int)number;
        return CLI_OK;
    default: /* unit */
        if (topo_parse_size(value, &request->unit) && request->unit > 0 && request->unit <= LONG_MAX)
            return CLI_OK;
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--unit %.80s: not a number of bytes of 1 or more, as 4096 or 4K", value);
    }
}

int dump_schedule_read(int argc, char **argv, struct dump_schedule_request *request)
{
    static const struct option options[] = {
        {"matrix", required_argument, NULL, 'm'}, {"redistribute", required_argument, NULL, 'r'},
        {"access", required_argument, NULL, 'a'}, {"length", required_argument, NULL, 'l'},
        {"random", required_argument, NULL, 'R'}, {"scheduler", required_argument, NULL, 'S'},
        {"only", no_argument, NULL, 'O'},         {"k", required_argument, NULL, 'k'},
        {"unit", required_argument, NULL, 'u'},   {"synthetic", required_argument, NULL, 's'},
        {"format", required_argument, NULL, 'f'}, {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    int letter, status = CLI_OK;
    *request = (struct dump_schedule_request){.unit = 1, .print = dump_schedule_text};
    opterr = 0;
    while ((letter = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
        if (letter == '?' || letter == ':')
            return cli_bad_option(DUMP_TOOL, argv, optind, optopt, letter == ':');
        status = read_one(request, letter, optarg);
        if (status != CLI_OK)
            return status;
    }
    if (request->help)
        return help();
    if (optind < argc)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "schedule takes no argument %.80s; see topo-dump schedule --help",
                        argv[optind]);
    if (!request->matrix_file + !request->redistribute + !request->random != 2)
        return cli_fail(DUMP_TOOL, CLI_USAGE,
                        "schedule: one of --matrix, --redistribute and --random is needed; see topo-dump schedule "
                        "--help");
    if ((request->access || request->length) && !request->redistribute)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--%s goes with --redistribute", request->access ? "access" : "length");
    if (!request->chosen)
        request->shown = request->redistribute ? DUMP_SCHEDULER_css : DUMP_SCHEDULER_drc;
    if (request->shown == DUMP_SCHEDULER_balanced && !request->synthetic)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--scheduler balanced needs a machine: --synthetic \"node:4 core:4\"");
    return CLI_OK;
}

/* Nobody can look at more, and the file would be huge. */
enum { DRAWN_MAX = 20000 };

static int drawable(const struct dump_schedule_view *view)
{
    int64_t pieces = view->result[view->request->shown].figures.pieces;
    if (pieces <= DRAWN_MAX)
        return CLI_OK;
    return cli_fail(DUMP_TOOL, CLI_FAILED, "--format svg: %lld pieces; a picture holds %d, --format json all",
                    (long long)pieces, DRAWN_MAX);
}

int dump_schedule(int argc, char **argv)
{
    struct dump_schedule_request request;
    struct dump_schedule_view view = {0};
    struct topo_text out = {0};
    int status = dump_schedule_read(argc, argv, &request);
    if (status != CLI_OK || request.help)
        return status;
    status = dump_schedule_view_make(&request, &view);
    if (status == CLI_OK && request.print == dump_schedule_svg)
        status = drawable(&view);
    if (status == CLI_OK) {
        request.print(&view, &out);
        status = cli_write(DUMP_TOOL, request.output, &out);
    }
    dump_schedule_view_free(&view);
    topo_text_free(&out);
    return status;
}
