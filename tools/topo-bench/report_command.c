/* topo-bench report: one page and its charts from JSON reports, by page.py. Runs without mpirun. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "common/cli.h"
#include "common/options.h"
#include "common/script.h"
#include "topo-bench/report_command.h"
#include "topo-bench/request.h"

int bench_chart_check(void)
{
    const char *const arguments[] = {"check", NULL};
    return cli_script(BENCH_TOOL, bench_report_script, arguments, NULL);
}

int bench_chart(const struct bench_report *report, const char *path)
{
    const char *const arguments[] = {"chart", path, NULL};
    TOPO_SCOPED_BY(topo_text_free) struct topo_text json = {0};
    bench_json_write(report, &json);
    return cli_script(BENCH_TOOL, bench_report_script, arguments, &json);
}

/* What the command line asks for; the strings are argv's. */
struct order {
    const char *page, *prefix, *command, *summary;
    const char **note;
    int notes;
};

static int write_page(const struct order *order, char **paths, int count)
{
    TOPO_SCOPED const char **arguments = topo_calloc((size_t)(order->notes + count) + 7, sizeof *arguments);
    char notes[16];
    if (!arguments)
        return cli_fail(BENCH_TOOL, CLI_FAILED, "out of memory");
    snprintf(notes, sizeof notes, "%d", order->notes);
    memcpy(arguments, (const char *[]){"page", order->page, order->prefix, order->command, order->summary, notes},
           6 * sizeof *arguments);
    memcpy(arguments + 6, order->note, (size_t)order->notes * sizeof *arguments);
    memcpy(arguments + 6 + order->notes, paths, (size_t)count * sizeof *arguments);
    return cli_script(BENCH_TOOL, bench_report_script, arguments, NULL);
}

static enum topo_status add_note(void *into, const struct cli_option *option, const char *value,
                                 struct topo_error *error)
{
    struct order *order = into;
    (void)option;
    (void)error;
    order->note[order->notes++] = value;
    return TOPO_OK;
}

int bench_report_command(int argc, char **argv)
{
    static const struct cli_option options[] = {
        {'p', "page", "FILE", "the page (default: standard output)", CLI_TEXT(struct order, page)},
        {'c', "charts", "PREFIX",
         "charts are PREFIX<name of the JSON file>.svg, as the page refers to them: relative to the page's folder "
         "(default: beside the page)",
         CLI_TEXT(struct order, prefix)},
        {'m', "command", "TEXT", "the command that repeats the measurement, for the page",
         CLI_TEXT(struct order, command)},
        {'n', "note", "TEXT", "a sentence for the page's head; may be repeated", .read = add_note},
        {'s', "summary", "LIST", "operations of which the page shows the summary alone, as barrier,bcast",
         CLI_TEXT(struct order, summary)},
        {0}};
    static const struct cli_command command = {
        .name = BENCH_TOOL " report",
        .usage =
            "usage: topo-bench report [OPTION]... FILE.json...\n\n"
            "Writes a Markdown page with a table and a chart of every report, by python3 and gnuplot; without "
            "gnuplot there\nare tables alone. Reports of the same thing (operation, label, ranks, placement, data) "
            "are runs of it: their\nmedians are shown.\n",
        .options = options,
        .takes_operands = true};
    struct order order = {
        .page = "", .prefix = "", .command = "", .summary = "", .note = topo_calloc((size_t)argc, sizeof *order.note)};
    int operand, status;
    if (!order.note)
        return cli_fail(BENCH_TOOL, CLI_FAILED, "out of memory");
    status = cli_options(&command, argc, argv, &order, &operand, NULL);
    if (status == CLI_OK && operand == argc)
        status = cli_fail(BENCH_TOOL, CLI_USAGE, "report: a JSON file is missing; see " BENCH_TOOL " report --help");
    else if (status == CLI_OK)
        status = write_page(&order, argv + operand, argc - operand);
    topo_free(order.note);
    return status == CLI_DONE ? CLI_OK : status;
}
