/* topo-dump schedule: the arguments, and the order of things. */
#include "topo-dump/schedule.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "common/cli.h"
#include "common/options.h"
#include "topo-dump/commands.h"

static const struct {
    const char *name, *help;
} schedulers[DUMP_SCHEDULERS] = {
#define X(name, help) {#name, help},
    DUMP_SCHEDULER_MAP(X)
#undef X
};

/* In the order of the words of --format. */
static void (*const prints[])(const void *view, struct topo_text *out) = {dump_schedule_text, dump_schedule_json,
                                                                          dump_schedule_svg};

const char *dump_scheduler_name(enum dump_scheduler scheduler)
{
    return schedulers[scheduler].name;
}

const char *dump_scheduler_help(enum dump_scheduler scheduler)
{
    return schedulers[scheduler].help;
}

static enum topo_status read_unit(void *into, const struct cli_option *option, const char *value,
                                  struct topo_error *error)
{
    struct dump_schedule_request *request = into;
    request->unit = 0;
    if (!strcmp(value, "auto") ||
        (topo_parse_size(value, &request->unit) && request->unit > 0 && request->unit <= LONG_MAX))
        return TOPO_OK;
    return topo_fail(error, TOPO_PARSE, "--%s %.80s: allowed: auto, or bytes, 1 or more, as 4096 or 4K", option->name,
                     value);
}

/* "|direct|sdrc..." */
#define X(name, help) "|" #name
#define SCHEDULERS DUMP_SCHEDULER_MAP(X)

#define TEXT(member) CLI_TEXT(struct dump_schedule_request, member)

static const struct cli_option options[] = {
    {0, "matrix", "FILE", "CSV (a table, or a list under sender,receiver,bytes) or MatrixMarket", TEXT(matrix_file)},
    {0, "redistribute", "TEXT",
     "block-cyclic arrays, e.g. \"cyclic(3)@5 -> cyclic(4)@5\", or of several dimensions, \"cyclic(3)@2 x block@4 -> "
     "block@4 x cyclic(2)@2\"",
     TEXT(redistribute)},
    {0, "access", "A1,B1,A2,B2",
     "of the loop A(A1 i + B1) = B(A2 i + B2) in each dimension (default 1,0,1,0); B1, B2 may be negative",
     TEXT(access)},
    {0, "length", "N[xN]...", "iterations of the loop in each dimension (default one period; block needs it)",
     TEXT(length)},
    {0, "random", "SPEC", "e.g. \"N=64,E=4N,total=512M,seed=1\"; E also as N^2/4", TEXT(random)},
    {0, "scheduler", "NAME", "whose steps are shown (default css for --redistribute, else drc)",
     CLI_WORD(struct dump_schedule_request, shown), .words = &SCHEDULERS[1]},
    {0, "only", NULL, "run no other scheduler", CLI_FLAG(struct dump_schedule_request, only)},
    {0, "k", "K", "ggp: at most K messages at a time (default all senders)",
     CLI_NUMBER(struct dump_schedule_request, k, 1, INT_MAX)},
    {0, "unit", "BYTES",
     "ggp: messages are cut to multiples (default auto: what the link of a node carries in the time of a start)",
     .read = read_unit},
    {0, "own", NULL,
     "what Q_i has for P_i is sent by every scheduler, not by css and direct alone; always so unless there are as many "
     "senders as receivers",
     CLI_FLAG(struct dump_schedule_request, own)},
    {0, "synthetic", "TEXT", "the machine, e.g. \"node:4 core:4\": figures of its links", TEXT(synthetic)},
    {0, "summary", NULL, "text, json: the figures alone, without the tables COM and CS",
     CLI_FLAG(struct dump_schedule_request, summary)},
    {0, "format", "text|json|svg", "the form (default text)", CLI_WORD(struct dump_schedule_request, form)},
    {'o', "output", "FILE", "write to FILE", TEXT(output)},
    {0}};

static const struct cli_command command = {
    .name = DUMP_TOOL " schedule",
    .usage = "usage: topo-dump schedule --matrix FILE | --redistribute TEXT | --random SPEC [OPTION]...\n\n"
             "Shows who sends how much to whom, the steps of one scheduler and the figures of all.\n",
    .options = options};

int dump_schedule_read(int argc, char **argv, struct dump_schedule_request *request)
{
    struct topo_text names = {0};
    int operand, status;
    *request = (struct dump_schedule_request){.shown = -1};
    topo_text_add(&names, "schedulers:\n");
    for (int i = 0; i < DUMP_SCHEDULERS; i++)
        topo_text_addf(&names, "  %-12s %s\n", schedulers[i].name, schedulers[i].help);
    status = cli_options(&command, argc, argv, request, &operand, names.failed ? NULL : names.text);
    topo_text_free(&names);
    request->print = prints[request->form];
    if (status != CLI_OK)
        return status;
    if (!request->matrix_file + !request->redistribute + !request->random != 2)
        return cli_fail(DUMP_TOOL, CLI_USAGE,
                        "schedule: one of --matrix, --redistribute and --random is needed; see topo-dump schedule "
                        "--help");
    if (request->summary && request->print == dump_schedule_svg)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--summary goes with --format text or json");
    if ((request->access || request->length) && !request->redistribute)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--%s goes with --redistribute", request->access ? "access" : "length");
    if (request->shown < 0)
        request->shown = request->redistribute ? DUMP_SCHEDULER_css : DUMP_SCHEDULER_drc;
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
    TOPO_SCOPED_BY(dump_schedule_view_free) struct dump_schedule_view view = {0};
    TOPO_SCOPED_BY(topo_text_free) struct topo_text out = {0};
    int status = dump_schedule_read(argc, argv, &request);
    if (status != CLI_OK)
        return status == CLI_DONE ? CLI_OK : status;
    status = dump_schedule_view_make(&request, &view);
    if (status == CLI_OK && request.print == dump_schedule_svg)
        status = drawable(&view);
    if (status == CLI_OK) {
        request.print(&view, &out);
        status = cli_write(DUMP_TOOL, request.output, &out);
    }
    return status;
}
