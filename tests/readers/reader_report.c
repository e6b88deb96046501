/* JSON reports of topo-bench: read, written and read again, and shown. */
#include "readers/readers.h"

#include "topo-bench/markdown.h"
#include "topo-bench/merge.h"
#include "topo-bench/report.h"

static struct bench_report *read_back(const struct bench_report *report)
{
    struct topo_text out = {0};
    struct topo_error error = {""};
    struct bench_report *again = NULL;
    MUST(bench_json_write(report, &out, &error) == TOPO_OK, "%s", error.text);
    const char *path = reader_file("again.json", out.text, out.length);
    MUST(bench_json_read(path, &again, &error) == TOPO_OK, "%s\n%s", error.text, out.text);
    topo_text_free(&out);
    return again;
}

static void check_again(const struct bench_report *report, const struct bench_report *again)
{
    MUST(report->sizes == again->sizes && report->algorithms == again->algorithms && report->levels == again->levels,
         "another shape");
    MUST(!strcmp(report->operation, again->operation) && report->ranks == again->ranks, "another head");
    for (int i = 0; i < report->sizes; i++)
        MUST(report->size[i].bytes == again->size[i].bytes, "%zu bytes", report->size[i].bytes);
    for (int a = 0; a < report->algorithms; a++)
        MUST(!strcmp(report->algorithm[a], again->algorithm[a]), "%s", report->algorithm[a]);
}

static void show(const struct bench_report *report)
{
    struct topo_text out = {0};
    bench_table_heading(report, &out);
    for (int i = 0; i < report->sizes; i++) {
        bench_table_size(report, i, &out);
        bench_report_fastest(report, i, true);
        bench_report_fastest(report, i, false);
    }
    bench_chart(report, &out);
    MUST(!out.failed, "too much memory");
    topo_text_free(&out);
}

/* As two runs of one measurement. */
static void show_page(struct bench_report **reports)
{
    static const char *const charts[] = {"a.svg", "b.svg"};
    int count = 2;
    struct topo_text out = {0};
    MUST(bench_merge(reports, &count) == TOPO_OK, "too much memory");
    const struct bench_page page = {.report = reports, .chart = charts, .count = count, .command = "c"};
    bench_markdown(&page, &out);
    topo_text_free(&out);
    for (int i = 0; i < count; i++)
        bench_report_free(reports[i]);
}

READER(report)
{
    struct bench_report *reports[2] = {NULL, NULL};
    struct topo_error error = {""};
    enum topo_status status = bench_json_read(reader_file("report.json", data, size), &reports[0], &error);
    reader_status(status, &error);
    MUST((status == TOPO_OK) == (reports[0] != NULL), "%s", topo_status_text(status));
    if (reports[0]) {
        reports[1] = read_back(reports[0]);
        check_again(reports[0], reports[1]);
        show(reports[0]);
        show_page(reports);
    }
    reader_remove();
    return 0;
}
