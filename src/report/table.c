#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct topo_report_row *row_of(const void *row)
{
    return row;
}

static const struct topo_report_rank *rank_of(const void *row)
{
    return row;
}

static const struct topo_report_function *function_of(const void *row)
{
    return row;
}

#define NUMBER(name, value) \
    static double name(const struct topo_report *report, const void *row) \
    { \
        (void)report; \
        return value; \
    }
#define WORD(name, value) \
    static const char *name(const struct topo_report *report, const void *row) \
    { \
        (void)report; \
        return value; \
    }

/* -- rows -- */

const char *topo_report_comm_name(const struct topo_report_comm *comm)
{
    static char text[32];
    if (*comm->name)
        return comm->name;
    snprintf(text, sizeof text, "%d ranks", comm->ranks);
    return comm->ranks ? text : "others";
}

/* "61 %" of the time was waiting; where there may be more, ">= 61 %", and "?" where none is known. */
static const char *waiting(const struct topo_report *report, const void *row)
{
    static char text[16];
    const double share = row_of(row)->seconds > 0 ? 100 * row_of(row)->waited / row_of(row)->seconds : 0;
    (void)report;
    if (row_of(row)->open > 0.01 * row_of(row)->seconds)
        snprintf(text, sizeof text, share >= 1 ? ">=%.0f%%" : "?", share);
    else
        snprintf(text, sizeof text, "%.0f%%", share);
    return text;
}

WORD(operation, topo_operation_name(topo_algorithm((enum topo_algorithm_id)row_of(row)->algorithm)->operation))
WORD(algorithm, topo_algorithm((enum topo_algorithm_id)row_of(row)->algorithm)->name)
WORD(communicator, topo_report_comm_name(&report->comm[row_of(row)->comm]))
NUMBER(size, ldexp(1, row_of(row)->size_class))
NUMBER(calls, (double)row_of(row)->calls)
NUMBER(calls_of_a_rank, round((double)row_of(row)->calls / row_of(row)->ranks))
NUMBER(made_by, row_of(row)->ranks)
NUMBER(comm_ranks, report->comm[row_of(row)->comm].ranks)
NUMBER(bytes, row_of(row)->bytes)
NUMBER(seconds, row_of(row)->seconds)
NUMBER(seconds_of_a_rank, row_of(row)->seconds / row_of(row)->ranks)
NUMBER(seconds_of_a_call, row_of(row)->seconds / (double)row_of(row)->calls)
NUMBER(least, row_of(row)->least)
NUMBER(least_rank, row_of(row)->least_rank)
NUMBER(most, row_of(row)->most)
NUMBER(most_rank, row_of(row)->most_rank)
NUMBER(waited, row_of(row)->waited)
NUMBER(open, row_of(row)->open)
NUMBER(native, row_of(row)->measured ? row_of(row)->measured_native / (double)row_of(row)->measured : -1)
NUMBER(model, row_of(row)->modelled ? row_of(row)->modelled_native / (double)row_of(row)->modelled : -1)

const struct topo_report_column topo_report_rows[] = {
    {"operation", "operation", -20, TOPO_REPORT_WORD, operation, NULL},
    {"bytes_at_most", "bytes <=", 8, TOPO_REPORT_BYTES, NULL, size},
    {"calls", NULL, 0, TOPO_REPORT_COUNT, NULL, calls},
    {NULL, "calls", 8, TOPO_REPORT_COUNT, NULL, calls_of_a_rank},
    {"algorithm", "algorithm", -19, TOPO_REPORT_WORD, algorithm, NULL},
    {"communicator", NULL, 0, TOPO_REPORT_WORD, communicator, NULL},
    {"communicator_ranks", NULL, 0, TOPO_REPORT_COUNT, NULL, comm_ranks},
    {"ranks", NULL, 0, TOPO_REPORT_COUNT, NULL, made_by},
    {"bytes", NULL, 0, TOPO_REPORT_COUNT, NULL, bytes},
    {"ns", NULL, 0, TOPO_REPORT_MS, NULL, seconds},
    {NULL, "mean ms", 10, TOPO_REPORT_MS, NULL, seconds_of_a_rank},
    {"least_ns", "least", 9, TOPO_REPORT_MS, NULL, least},
    {"least_rank", NULL, 0, TOPO_REPORT_COUNT, NULL, least_rank},
    {"most_ns", "most", 10, TOPO_REPORT_MS, NULL, most},
    {"most_rank", "rank", 5, TOPO_REPORT_COUNT, NULL, most_rank},
    {NULL, "waiting", 7, TOPO_REPORT_WORD, waiting, NULL},
    {"waited_ns", NULL, 0, TOPO_REPORT_MS, NULL, waited},
    {"unknown_ns", NULL, 0, TOPO_REPORT_MS, NULL, open},
    {NULL, "us a call", 10, TOPO_REPORT_US, NULL, seconds_of_a_call},
    {NULL, "native us", 10, TOPO_REPORT_US, NULL, native},
    {NULL, "model us", 10, TOPO_REPORT_US, NULL, model},
    {NULL, "communicator", 0, TOPO_REPORT_WORD, communicator, NULL},
    {NULL, NULL, 0, TOPO_REPORT_WORD, NULL, NULL}};

/* -- functions -- */

WORD(function, topo_report_function_name(function_of(row)->function))
WORD(group, topo_report_group_name(topo_report_function_group(function_of(row)->function)))
NUMBER(function_calls, (double)function_of(row)->calls)
NUMBER(function_calls_of_a_rank, round((double)function_of(row)->calls / function_of(row)->ranks))
NUMBER(function_ranks, function_of(row)->ranks)
NUMBER(function_bytes, function_of(row)->bytes)
NUMBER(function_seconds, function_of(row)->seconds)
NUMBER(function_seconds_of_a_rank, function_of(row)->seconds / function_of(row)->ranks)
NUMBER(function_seconds_of_a_call, function_of(row)->seconds / (double)function_of(row)->calls)
NUMBER(function_most, function_of(row)->most)
NUMBER(function_most_rank, function_of(row)->most_rank)

const struct topo_report_column topo_report_functions[] = {
    {"function", "function", -25, TOPO_REPORT_WORD, function, NULL},
    {"calls", NULL, 0, TOPO_REPORT_COUNT, NULL, function_calls},
    {NULL, "calls", 9, TOPO_REPORT_COUNT, NULL, function_calls_of_a_rank},
    {"ranks", NULL, 0, TOPO_REPORT_COUNT, NULL, function_ranks},
    {"ns", NULL, 0, TOPO_REPORT_MS, NULL, function_seconds},
    {NULL, "mean ms", 10, TOPO_REPORT_MS, NULL, function_seconds_of_a_rank},
    {"most_ns", "most", 10, TOPO_REPORT_MS, NULL, function_most},
    {"most_rank", "rank", 5, TOPO_REPORT_COUNT, NULL, function_most_rank},
    {NULL, "us a call", 10, TOPO_REPORT_US, NULL, function_seconds_of_a_call},
    {"bytes", "bytes of all", 14, TOPO_REPORT_COUNT, NULL, function_bytes},
    {"group", "group", 0, TOPO_REPORT_WORD, group, NULL},
    {NULL, NULL, 0, TOPO_REPORT_WORD, NULL, NULL}};

/* -- ranks -- */

static double late(const struct topo_report *report, const void *row)
{
    double all = 0;
    (void)report;
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        all += (double)rank_of(row)->late[operation];
    return all;
}

WORD(host, rank_of(row)->host)
NUMBER(number, rank_of(row)->rank)
NUMBER(node, rank_of(row)->node)
NUMBER(ended, rank_of(row)->ended)
NUMBER(run, rank_of(row)->run)
NUMBER(processor, rank_of(row)->processor)
NUMBER(memory, rank_of(row)->memory)
NUMBER(inside, rank_of(row)->inside)
NUMBER(mpi, rank_of(row)->mpi > 0 ? rank_of(row)->mpi : -1)
NUMBER(rank_waited, rank_of(row)->waited)
NUMBER(rank_open, rank_of(row)->open)

const struct topo_report_column topo_report_ranks[] = {{"rank", NULL, 0, TOPO_REPORT_COUNT, NULL, number},
                                                       {"node", NULL, 0, TOPO_REPORT_COUNT, NULL, node},
                                                       {"host", NULL, 0, TOPO_REPORT_WORD, host, NULL},
                                                       {"ended", NULL, 0, TOPO_REPORT_COUNT, NULL, ended},
                                                       {"run_ns", NULL, 0, TOPO_REPORT_MS, NULL, run},
                                                       {"processor_ns", NULL, 0, TOPO_REPORT_MS, NULL, processor},
                                                       {"memory_bytes", NULL, 0, TOPO_REPORT_COUNT, NULL, memory},
                                                       {"ns", NULL, 0, TOPO_REPORT_MS, NULL, inside},
                                                       {"mpi_ns", NULL, 0, TOPO_REPORT_MS, NULL, mpi},
                                                       {"waited_ns", NULL, 0, TOPO_REPORT_MS, NULL, rank_waited},
                                                       {"unknown_ns", NULL, 0, TOPO_REPORT_MS, NULL, rank_open},
                                                       {"late_ns", NULL, 0, TOPO_REPORT_MS, NULL, late},
                                                       {NULL, NULL, 0, TOPO_REPORT_WORD, NULL, NULL}};

/* -- both -- */

/* The model's times are those of another machine where it was not measured. */
static bool is_shown(const struct topo_report_column *column, bool modelled)
{
    return column->head && (column->number != model || modelled);
}

void topo_report_heads(const struct topo_report_column *columns, bool modelled, struct topo_text *out)
{
    const char *before = "";
    for (; columns->key || columns->head; columns++)
        if (is_shown(columns, modelled)) {
            topo_text_addf(out, "%s%*s", before, columns->width, columns->head);
            before = " ";
        }
}

static void add_number(const struct topo_report_column *column, double number, struct topo_text *out)
{
    char size[32] = "-";
    if (column->kind == TOPO_REPORT_BYTES)
        topo_format_size((size_t)number, size, sizeof size);
    if (number < 0 || column->kind == TOPO_REPORT_BYTES)
        topo_text_addf(out, "%*s", column->width, size);
    else if (column->kind == TOPO_REPORT_COUNT)
        topo_text_addf(out, "%*.0f", column->width, number);
    else if (column->kind == TOPO_REPORT_MS)
        topo_text_addf(out, "%*.3f", column->width, number * 1e3);
    else
        topo_text_addf(out, "%*.2f", column->width, number * 1e6);
}

void topo_report_line(const struct topo_report_column *columns, const struct topo_report *report, const void *row,
                      struct topo_text *out)
{
    const char *before = "";
    for (; columns->key || columns->head; columns++) {
        if (!is_shown(columns, report->job.modelled))
            continue;
        topo_text_add(out, before);
        if (columns->word)
            topo_text_addf(out, "%*s", columns->width, columns->word(report, row));
        else
            add_number(columns, columns->number(report, row), out);
        before = " ";
    }
}

void topo_report_members(const struct topo_report_column *columns, const struct topo_report *report, const void *row,
                         struct topo_text *out)
{
    const char *before = "";
    for (; columns->key || columns->head; columns++) {
        const double number = columns->word ? 0 : columns->number(report, row);
        if (!columns->key || number < 0)
            continue;
        topo_text_addf(out, "%s\"%s\": ", before, columns->key);
        before = ", ";
        if (columns->word)
            topo_report_json_string(columns->word(report, row), out);
        else
            topo_text_addf(out, "%.0f",
                           columns->kind == TOPO_REPORT_MS || columns->kind == TOPO_REPORT_US ? number * 1e9 : number);
    }
}
