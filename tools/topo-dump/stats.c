/* topo-dump stats: the report of a job that ended before it could give one, of what its ranks left; a page of a report;
 * two reports compared. */
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "common/cli.h"
#include "common/json.h"
#include "common/options.h"
#include "report/sheets.h"
#include "report/report.h"
#include "topo-dump/commands.h"
#include "topo-dump/stats_file.h"

enum form { TEXT, JSON, HTML };

struct request {
    const char *output;
    enum form form;
    bool remove, diff;
};

static const struct cli_option options[] = {
    {0, "format", "text|json|html", "text (the default), JSON, or a page; of a FILE JSON (the default) or a page",
     CLI_WORD(struct request, form)},
    {0, "diff", NULL, "two files: what differs, what changed most first", CLI_FLAG(struct request, diff)},
    {0, "remove", NULL, "and remove what was reported", CLI_FLAG(struct request, remove)},
    {'o', "output", "FILE", "write to FILE instead of standard output", CLI_TEXT(struct request, output)},
    {0}};

static const struct cli_command command = {
    .name = "topo-dump stats",
    .usage = "usage: topo-dump stats [OPTION]... DIR|FILE.json|FILE.html\n"
             "       topo-dump stats --diff [OPTION]... A B\n\n"
             "Reports a job whose ranks left their counts in DIR (TOPOMPI_STATS_KEEP) and did not all come to\n"
             "MPI_Finalize; topompi-run --stats does so by itself. Makes a page of a report that is in a file, or\n"
             "compares two.\n",
    .options = options,
    .takes_operands = true};

/* Of what the ranks left in a folder. */
static int of_folder(const struct request *request, const char *folder, struct topo_text *out)
{
    struct topo_report report = {.ranks = 0};
    struct topo_error error = {""};
    uint64_t job;
    int status = CLI_OK;
    const enum topo_status read = topo_sheets_read(folder, &report, &job, &error);
    if (read != TOPO_OK) {
        status = cli_fail(DUMP_TOOL, CLI_FAILED, "%s", read == TOPO_NOMEM ? "out of memory" : error.text);
    } else if (report.ranks == 0) {
        status = cli_fail(DUMP_TOOL, CLI_FAILED, "%s: no rank left anything there", folder);
    } else {
        topo_report_sort(&report);
        if (request->form == TEXT)
            topo_report_text(&report, out);
        else
            topo_report_json(&report, NULL, out);
        if (request->form == HTML)
            topo_report_page(out);
        status = cli_write(DUMP_TOOL, request->output, out);
    }
    if (status == CLI_OK && request->remove)
        topo_sheets_remove(folder, job);
    topo_report_free(&report);
    return status;
}

static int of_files(const struct request *request, char **paths, struct topo_text *out)
{
    json_t *report;
    int status = request->diff ? dump_stats_diff(paths, out) : dump_stats_read(paths[0], &report);
    if (status == CLI_OK && !request->diff) {
        cli_json(out, report, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
        if (request->form == HTML)
            topo_report_page(out);
    }
    return status == CLI_OK ? cli_write(DUMP_TOOL, request->output, out) : status;
}

int dump_stats(int argc, char **argv)
{
    struct request request = {0};
    TOPO_SCOPED_BY(topo_text_free) struct topo_text out = {0};
    struct stat about;
    int operand, status = cli_options(&command, argc, argv, &request, &operand, NULL);
    if (status != CLI_OK)
        return status == CLI_DONE ? CLI_OK : status;
    if (operand != argc - 1 - request.diff)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "stats: %s needed; see topo-dump stats --help",
                        request.diff ? "--diff: two files are" : "one folder or file is");
    if (request.diff && request.form != TEXT)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "stats: --diff is text alone");
    if (!request.diff && stat(argv[operand], &about) == 0 && S_ISDIR(about.st_mode))
        return of_folder(&request, argv[operand], &out);
    if (request.remove)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "stats: --remove is for a folder");
    return of_files(&request, argv + operand, &out);
}
