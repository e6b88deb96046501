#include "topo-dump/stats_file.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "common/cli.h"
#include "report/report.h"
#include "topo-dump/commands.h"

/* -- reading -- */

static bool has_shape(json_t *report)
{
    json_t *all = json_object_get(report, "all");
    return json_is_string(json_object_get(report, "topompi")) && json_is_string(json_object_get(report, "job")) &&
           json_is_integer(json_object_get(report, "version")) && json_is_array(json_object_get(all, "calls")) &&
           json_is_array(json_object_get(all, "ranks")) && json_is_object(json_object_get(all, "total"));
}

int dump_stats_read(const char *path, json_t **report)
{
    static const char begin[] = "<script type=\"application/json\" id=\"report\">", end[] = "</script>";
    struct topo_error error = {""};
    json_error_t why;
    TOPO_SCOPED char *content = NULL;
    const enum topo_status status = topo_read_file(path, &content, NULL, &error);
    *report = NULL;
    if (status != TOPO_OK)
        return cli_fail(DUMP_TOOL, CLI_FAILED, "%s", status == TOPO_NOMEM ? "out of memory" : error.text);
    char *json = strstr(content, begin), *behind = json ? strstr(json, end) : NULL;
    if (behind)
        *behind = '\0';
    json_t *read = json_loads(behind ? json + strlen(begin) : content, 0, &why);
    if (read && !has_shape(read))
        cli_fail(DUMP_TOOL, CLI_FAILED, "%s: no report of a job; topompi-run --stats=FILE.json writes them", path);
    else if (!read)
        cli_fail(DUMP_TOOL, CLI_FAILED, "%s:%d: no report of a job: %s", path, why.line, why.text);
    else if (json_integer_value(json_object_get(read, "version")) == TOPO_REPORT_VERSION)
        *report = json_incref(read);
    else
        cli_fail(DUMP_TOOL, CLI_FAILED, "%s: a report of version %d, by TopoMPI %s; this is TopoMPI's of version %d",
                 path, (int)json_integer_value(json_object_get(read, "version")),
                 json_string_value(json_object_get(read, "topompi")), TOPO_REPORT_VERSION);
    json_decref(read);
    return *report ? CLI_OK : CLI_FAILED;
}

/* -- comparing: A is 0, B is 1 -- */

enum { ROWS = 36, FUNCTIONS = 10 };

/* Calls of one operation, size class and communicator, whatever ran; or of a function of MPI. */
struct row {
    const char *operation, *communicator;
    json_int_t bytes, ranks;
    double calls[2], ns[2]; /* of all ranks; the mean of a rank */
    char ran[2][48];
    int place;
};

static const char *word(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* NaN: it is not there. */
static double number(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static struct row *row_of(struct row *rows, int *count, json_t *call)
{
    struct row wanted = {.operation = word(call, json_object_get(call, "function") ? "function" : "operation"),
                         .communicator = word(call, "communicator"),
                         .bytes = json_integer_value(json_object_get(call, "bytes_at_most")),
                         .ranks = json_integer_value(json_object_get(call, "communicator_ranks")),
                         .place = *count};
    for (int i = 0; i < *count; i++)
        if (rows[i].bytes == wanted.bytes && rows[i].ranks == wanted.ranks &&
            !strcmp(rows[i].operation, wanted.operation) && !strcmp(rows[i].communicator, wanted.communicator))
            return &rows[i];
    rows[*count] = wanted;
    return &rows[(*count)++];
}

static void add_calls(json_t *all, const char *list, int side, struct row *rows, int *count)
{
    size_t i;
    json_t *call;
    const double ranks = (double)json_array_size(json_object_get(all, "ranks"));
    json_array_foreach(json_object_get(all, list), i, call)
    {
        struct row *row = row_of(rows, count, call);
        const size_t length = strlen(row->ran[side]);
        row->calls[side] += number(call, "calls");
        row->ns[side] += number(call, "ns") / ranks;
        snprintf(row->ran[side] + length, sizeof row->ran[side] - length, "%s%s", length ? "+" : "",
                 word(call, "algorithm"));
    }
}

static int by_change(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    const double p = fabs(x->ns[1] - x->ns[0]), q = fabs(y->ns[1] - y->ns[0]);
    return p != q ? (p < q) - (p > q) : x->place - y->place;
}

static void add_ratio(double a, double b, struct topo_text *out)
{
    if (a > 0 && b > 0)
        topo_text_addf(out, " %7.3f", b / a);
    else
        topo_text_addf(out, " %7s", "-");
}

static void add_row(const struct row *row, bool sized, struct topo_text *out)
{
    char size[32] = "";
    if (sized)
        topo_format_size((size_t)row->bytes, size, sizeof size);
    topo_text_addf(out, sized ? "%-20s %8s" : "%-29s%s", row->operation, size);
    topo_text_addf(out, " %9.0f %9.0f %10.3f %10.3f %+10.3f", row->calls[0], row->calls[1], row->ns[0] / 1e6,
                   row->ns[1] / 1e6, (row->ns[1] - row->ns[0]) / 1e6);
    add_ratio(row->ns[0], row->ns[1], out);
    if (sized)
        topo_text_addf(out, "  %-19s %-19s %s", row->ran[0], row->ran[1], row->communicator);
    topo_text_add(out, "\n");
}

/* What changed most comes first. `list`: of `all`, calls or functions; most: so many rows are shown. */
static int add_rows(json_t *const all[2], const char *list, int most, struct topo_text *out)
{
    size_t room = json_array_size(json_object_get(all[0], list)) + json_array_size(json_object_get(all[1], list));
    TOPO_SCOPED struct row *rows = topo_calloc(room + 1, sizeof *rows);
    const bool sized = !strcmp(list, "calls");
    double rest = 0;
    int count = 0;
    if (!rows)
        return cli_fail(DUMP_TOOL, CLI_FAILED, "out of memory for %zu rows", room);
    for (int side = 0; side < 2; side++)
        add_calls(all[side], list, side, rows, &count);
    qsort(rows, (size_t)count, sizeof *rows, by_change);
    if (count)
        topo_text_addf(out, "\n%-20s %8s %9s %9s %10s %10s %10s %7s%s\n", sized ? "operation" : "function",
                       sized ? "bytes <=" : "", "calls A", "calls B", "ms A", "ms B", "B - A", "B / A",
                       sized ? "  ran in A            ran in B            communicator" : "");
    for (int i = 0; i < count && i < most; i++)
        add_row(&rows[i], sized, out);
    for (int i = most; i < count; i++)
        rest += (rows[i].ns[1] - rows[i].ns[0]) / 1e6;
    if (count > most)
        topo_text_addf(out, "and %d more: %+.3f ms\n", count - most, rest);
    return CLI_OK;
}

/* NaN: some do not say. */
static double of_ranks(json_t *ranks, const char *key, bool most)
{
    double value = 0;
    size_t i;
    json_t *rank;
    json_array_foreach(ranks, i, rank)
    {
        const double one = number(rank, key);
        if (isnan(one))
            return NAN;
        value = most ? fmax(value, one) : value + one;
    }
    return value;
}

enum of { MOST, SUM, TOTAL_OF_A_RANK, TOTAL };

static double figure(json_t *all, const char *key, enum of of)
{
    json_t *ranks = json_object_get(all, "ranks");
    if (of == MOST || of == SUM)
        return of_ranks(ranks, key, of == MOST);
    return number(json_object_get(all, "total"), key) / (of == TOTAL ? 1 : (double)json_array_size(ranks));
}

static void add_figures(json_t *const all[2], struct topo_text *out)
{
    static const struct {
        const char *name, *key;
        enum of of;
        double unit;
    } figures[] = {{"s from MPI_Init to the end", "run_ns", MOST, 1e9},
                   {"s of processors", "processor_ns", SUM, 1e9},
                   {"MiB of a rank, at most", "memory_bytes", MOST, 1 << 20},
                   {"ms of a rank in MPI", "mpi_ns", TOTAL_OF_A_RANK, 1e6},
                   {"ms of a rank in these calls", "ns", TOTAL_OF_A_RANK, 1e6},
                   {"of them waiting, for certain", "waited_ns", TOTAL_OF_A_RANK, 1e6},
                   {"load balance", "load_balance", TOTAL, 1},
                   {"communication efficiency", "communication_efficiency", TOTAL, 1}};
    topo_text_addf(out, "\n%-30s %10s %10s %7s\n", "", "A", "B", "B / A");
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const double a = figure(all[0], figures[i].key, figures[i].of) / figures[i].unit,
                     b = figure(all[1], figures[i].key, figures[i].of) / figures[i].unit;
        if (isnan(a) || isnan(b))
            continue;
        topo_text_addf(out, "%-30s %10.3f %10.3f", figures[i].name, a, b);
        add_ratio(a, b, out);
        topo_text_add(out, "\n");
    }
}

/* What is not the same job's, so that nobody takes it for a change of the library. */
static void add_head(char *const path[2], json_t *const report[2], struct topo_text *out)
{
    static const char *const keys[] = {"program", "ranks", "nodes", "machine", "mpi", "topompi"};
    for (int side = 0; side < 2; side++)
        topo_text_addf(out, "%c %s: %s%s\n", "AB"[side], path[side], word(report[side], "job"),
                       json_is_true(json_object_get(report[side], "off")) ? "; every call native (TOPOMPI=off)" : "");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char value[2][128];
        for (int side = 0; side < 2; side++) {
            json_t *of = json_object_get(report[side], keys[i]);
            if (json_is_integer(of))
                snprintf(value[side], sizeof value[side], "%d", (int)json_integer_value(of));
            else
                snprintf(value[side], sizeof value[side], "%s", word(report[side], i ? keys[i] : "job"));
        }
        for (int side = 0; side < 2 && i == 0; side++) /* "program, 4 ranks on 2 nodes: ..." */
            value[side][strcspn(value[side], ",")] = '\0';
        if (strcmp(value[0], value[1]) != 0)
            topo_text_addf(out, "not the same %s: %s, %s\n", keys[i], value[0], value[1]);
    }
}

int dump_stats_diff(char *const path[2], struct topo_text *out)
{
    json_t *report[2] = {NULL, NULL}, *all[2] = {NULL, NULL};
    int status = CLI_OK;
    for (int side = 0; side < 2 && status == CLI_OK; side++) {
        status = dump_stats_read(path[side], &report[side]);
        all[side] = json_object_get(report[side], "all");
    }
    if (status == CLI_OK) {
        add_head(path, report, out);
        add_figures(all, out);
        topo_text_add(out, "\ncalls of all ranks, ms of a rank in the mean; what changed most first\n");
        status = add_rows(all, "calls", ROWS, out);
    }
    if (status == CLI_OK)
        status = add_rows(all, "functions", FUNCTIONS, out);
    json_decref(report[0]);
    json_decref(report[1]);
    return status;
}
