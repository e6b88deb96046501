/* topo-bench report: one page and its charts from JSON reports. Runs without mpirun. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "common/cli.h"
#include "topo-bench/markdown.h"
#include "topo-bench/merge.h"
#include "topo-bench/request.h"
#include "topo-bench/report_command.h"

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

/* "results/4x4.json" becomes "<prefix>4x4.svg". */
static char *chart_name(const char *prefix, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    struct topo_text text = {0};
    topo_text_addf(&text, "%s%.*s.svg", prefix, dot ? (int)(dot - name) : (int)strlen(name), name);
    char *result = text.failed ? NULL : topo_strdup(text.text);
    topo_text_free(&text);
    return result;
}

/* The chart into the page's folder. */
static int write_chart(const char *page, const char *chart, const struct bench_report *report)
{
    const char *slash = page ? strrchr(page, '/') : NULL;
    struct topo_text path = {0}, svg = {0};
    topo_text_addf(&path, "%.*s%s", slash ? (int)(slash + 1 - page) : 0, slash ? page : "", chart);
    bench_chart(report, &svg);
    int status =
        path.failed ? cli_fail(BENCH_TOOL, CLI_FAILED, "out of memory") : cli_write(BENCH_TOOL, path.text, &svg);
    topo_text_free(&path);
    topo_text_free(&svg);
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
    struct bench_report **reports = topo_calloc((size_t)count, sizeof *reports);
    char **charts = topo_calloc((size_t)count, sizeof *charts);
    struct topo_error error = {""};
    struct topo_text out = {0};
    int status = reports && charts ? CLI_OK : cli_fail(BENCH_TOOL, CLI_FAILED, "out of memory");
    for (int i = 0; status == CLI_OK && i < count; i++) {
        enum topo_status read = bench_json_read(paths[i], &reports[i], &error);
        if (read != TOPO_OK)
            status = cli_fail(BENCH_TOOL, read == TOPO_PARSE ? CLI_USAGE : CLI_FAILED, "%s", error.text);
    }
    if (status == CLI_OK && bench_merge(reports, &count) != TOPO_OK)
        status = cli_fail(BENCH_TOOL, CLI_FAILED, "out of memory");
    for (int i = 0; status == CLI_OK && i < count; i++) {
        charts[i] = chart_name(order->prefix, reports[i]->file);
        if (!charts[i])
            status = cli_fail(BENCH_TOOL, CLI_FAILED, "out of memory");
        else if (!bench_in_list(order->summary, reports[i]->operation))
            status = write_chart(order->page, charts[i], reports[i]);
    }
    if (status == CLI_OK) {
        const struct bench_page page = {.report = reports,
                                        .chart = (const char *const *)charts,
                                        .count = count,
                                        .command = order->command,
                                        .note = order->note,
                                        .notes = order->notes,
                                        .summary = order->summary};
        bench_markdown(&page, &out);
        status = cli_write(BENCH_TOOL, order->page, &out);
    }
    for (int i = 0; i < count; i++) {
        if (reports)
            bench_report_free(reports[i]);
        if (charts)
            topo_free(charts[i]);
    }
    topo_free(reports);
    topo_free(charts);
    topo_text_free(&out);
    return status;
}

int bench_report_command(int argc, char **argv)
{
    struct order order = {.prefix = "", .note = topo_calloc((size_t)argc, sizeof *order.note)};
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
