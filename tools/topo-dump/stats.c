/* topo-dump stats: the report of a job that ended before it could give one, of what its ranks left. */
#include "base/memory.h"
#include "base/text.h"
#include "common/cli.h"
#include "common/options.h"
#include "report/sheets.h"
#include "report/report.h"
#include "topo-dump/commands.h"

enum form { TEXT, JSON };

struct request {
    const char *output;
    enum form form;
    bool remove;
};

static const struct cli_option options[] = {
    {0, "format", "text|json", "text (the default) or JSON", CLI_WORD(struct request, form)},
    {0, "remove", NULL, "and remove what was reported", CLI_FLAG(struct request, remove)},
    {'o', "output", "FILE", "write to FILE instead of standard output", CLI_TEXT(struct request, output)},
    {0}};

static const struct cli_command command = {
    .name = "topo-dump stats",
    .usage = "usage: topo-dump stats [OPTION]... DIR\n\n"
             "Reports a job whose ranks left their counts in DIR (TOPOMPI_STATS_KEEP) and did not all come to\n"
             "MPI_Finalize. topompi-run --stats does so by itself.\n",
    .options = options,
    .takes_operands = true};

int dump_stats(int argc, char **argv)
{
    struct request request = {0};
    struct topo_report report = {.ranks = 0};
    struct topo_error error = {""};
    TOPO_SCOPED_BY(topo_text_free) struct topo_text out = {0};
    uint64_t job;
    int operand, status = cli_options(&command, argc, argv, &request, &operand, NULL);
    if (status != CLI_OK)
        return status == CLI_DONE ? CLI_OK : status;
    if (operand != argc - 1)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "stats: one folder is needed");
    const enum topo_status read = topo_sheets_read(argv[operand], &report, &job, &error);
    if (read != TOPO_OK) {
        status = cli_fail(DUMP_TOOL, CLI_FAILED, "%s", read == TOPO_NOMEM ? "out of memory" : error.text);
    } else if (report.ranks == 0) {
        status = cli_fail(DUMP_TOOL, CLI_FAILED, "%s: no rank left anything there", argv[operand]);
    } else {
        topo_report_sort(&report);
        if (request.form == TEXT)
            topo_report_text(&report, &out);
        else
            topo_report_json(&report, NULL, NULL, &out);
        status = cli_write(DUMP_TOOL, request.output, &out);
    }
    if (status == CLI_OK && request.remove)
        topo_sheets_remove(argv[operand], job);
    topo_report_free(&report);
    return status;
}
