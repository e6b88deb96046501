/* topo-bench report: one page and its charts from JSON reports, by page.py. Runs without mpirun. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "common/cli.h"
#include "common/script.h"
#include "topo-bench/report_command.h"
#include "topo-bench/request.h"

static const struct option table[] = {{"page", required_argument, NULL, 'p'},
                                      {"charts", required_argument, NULL, 'c'},
                                      {"command", required_argument, NULL, 'm'},
                                      {"note", required_argument, NULL, 'n'},
                                      {"summary", required_argument, NULL, 's'},
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

static int help(void)
{
    puts(
        "usage: topo-bench report [OPTION]... FILE.json...\n\n"
        "Writes a Markdown page with a table and a chart of every report. Reports of the same thing (operation, "
        "label,\n"
        "ranks, placement, data) are runs of it: their medians are shown.\n\n"
        "  -p, --page FILE      the page (default: standard output)\n"
        "  -c, --charts PREFIX  charts are PREFIX<name of the JSON file>.svg, as the page refers to them: relative to\n"
        "                       the page's folder (default: beside the page)\n"
        "  -m, --command TEXT   the command that repeats the measurement, for the page\n"
        "  -n, --note TEXT      a sentence for the page's head; may be repeated\n"
        "  -s, --summary LIST   operations of which the page shows the summary alone, as barrier,bcast\n"
        "  -h, --help");
    return CLI_OK;
}

int bench_chart_check(void)
{
    const char *const arguments[] = {"check", NULL};
    return cli_script(BENCH_TOOL, bench_report_script, arguments, NULL);
}

int bench_chart(const struct bench_report *report, const char *path)
{
    const char *const arguments[] = {"chart", path, NULL};
    struct topo_text json = {0};
    struct topo_error error = {""};
    int status = bench_json_write(report, &json, &error) == TOPO_OK
                     ? cli_script(BENCH_TOOL, bench_report_script, arguments, &json)
                     : cli_fail(BENCH_TOOL, CLI_FAILED, "%s", error.text);
    topo_text_free(&json);
    return status;
}

/* What the command line asks for; the strings are argv's. */
struct order {
    const char *page, *prefix, *command, *summary;
    const char **note;
    int notes;
};

static int write_page(const struct order *order, char **paths, int count)
{
    const char **arguments = topo_calloc((size_t)(order->notes + count) + 7, sizeof *arguments);
    char notes[16];
    int status;
    if (!arguments)
        return cli_fail(BENCH_TOOL, CLI_FAILED, "out of memory");
    snprintf(notes, sizeof notes, "%d", order->notes);
    memcpy(arguments, (const char *[]){"page", order->page, order->prefix, order->command, order->summary, notes},
           6 * sizeof *arguments);
    memcpy(arguments + 6, order->note, (size_t)order->notes * sizeof *arguments);
    memcpy(arguments + 6 + order->notes, paths, (size_t)count * sizeof *arguments);
    status = cli_script(BENCH_TOOL, bench_report_script, arguments, NULL);
    topo_free(arguments);
    return status;
}

int bench_report_command(int argc, char **argv)
{
    struct order order = {
        .page = "", .prefix = "", .command = "", .summary = "", .note = topo_calloc((size_t)argc, sizeof *order.note)};
    int option, status = order.note ? CLI_OK : cli_fail(BENCH_TOOL, CLI_FAILED, "out of memory");
    bool helped = false;
    opterr = 0;
    optind = 1;
    while (status == CLI_OK && !helped && (option = getopt_long(argc, argv, ":p:c:m:n:s:h", table, NULL)) != -1) {
        switch (option) {
        case 'p': order.page = optarg; break;
        case 'c': order.prefix = optarg; break;
        case 'm': order.command = optarg; break;
        case 'n': order.note[order.notes++] = optarg; break;
        case 's': order.summary = optarg; break;
        case 'h': helped = true; break;
        default: status = cli_bad_option(BENCH_TOOL, argv, optind, optopt, option == ':');
        }
    }
    if (helped)
        status = help();
    else if (status == CLI_OK && optind == argc)
        status = cli_fail(BENCH_TOOL, CLI_USAGE, "report: a JSON file is missing; see " BENCH_TOOL " report --help");
    else if (status == CLI_OK)
        status = write_page(&order, argv + optind, argc - optind);
    topo_free(order.note);
    return status;
}
