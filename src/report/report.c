#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char magic[8] = "topostat";

void topo_report_begin(struct topo_report_sheet *sheet, int rank)
{
    memset(sheet, 0, sizeof *sheet);
    memcpy(sheet->magic, magic, sizeof magic);
    sheet->bytes = sizeof *sheet;
    sheet->version = TOPO_REPORT_VERSION;
    sheet->rank.rank = rank;
    sheet->rank.processor = sheet->rank.memory = -1;
    sheet->comms = TOPO_REPORT_OTHERS + 1;
}

/* A text in an array. */
#define ENDS(text) (memchr(text, '\0', sizeof(text)) != NULL)

bool topo_report_is_sheet(const struct topo_report_sheet *sheet, size_t bytes)
{
    if (bytes < sizeof *sheet || memcmp(sheet->magic, magic, sizeof magic) != 0 || sheet->bytes != sizeof *sheet ||
        sheet->version != TOPO_REPORT_VERSION || sheet->rows < 0 || sheet->rows > TOPO_REPORT_ROWS ||
        sheet->comms < 0 || sheet->comms > TOPO_REPORT_COMMS || sheet->rank.rank < 0 ||
        sheet->rank.rank >= sheet->job.ranks || sheet->rank.node < 0 || sheet->rank.node >= sheet->job.nodes ||
        !ENDS(sheet->rank.host) || !ENDS(sheet->job.about) || !ENDS(sheet->job.libraries) || !ENDS(sheet->job.mpi) ||
        !ENDS(sheet->job.machine))
        return false;
    for (int i = 0; i < sheet->comms; i++)
        if (!ENDS(sheet->comm[i].name))
            return false;
    for (int i = 0; i < sheet->rows; i++)
        if (sheet->row[i].comm < 0 || sheet->row[i].comm >= sheet->comms || sheet->row[i].algorithm < 0 ||
            sheet->row[i].algorithm >= TOPO_ALGORITHM_COUNT || sheet->row[i].size_class < 0 ||
            sheet->row[i].size_class > 64)
            return false;
    return true;
}

/* The entry of a communicator among `count`; `count`: there is none. */
static int find_comm(const struct topo_report_comm *comm, int count, const struct topo_report_comm *wanted)
{
    int i = 0;
    while (i < count && (comm[i].ranks != wanted->ranks || strcmp(comm[i].name, wanted->name) != 0))
        i++;
    return i;
}

int topo_report_comm_of(struct topo_report_sheet *sheet, const char *name, int ranks)
{
    struct topo_report_comm wanted = {.ranks = ranks};
    strncpy(wanted.name, name, sizeof wanted.name - 1);
    int found = find_comm(sheet->comm, sheet->comms, &wanted);
    if (found == TOPO_REPORT_COMMS)
        return TOPO_REPORT_OTHERS;
    if (found == sheet->comms) {
        sheet->comm[found] = wanted;
        sheet->comms++;
    }
    return found;
}

struct topo_report_row *topo_report_row_new(struct topo_report_sheet *sheet, int comm, int algorithm, int size_class)
{
    if (sheet->rows >= TOPO_REPORT_ROWS - (comm == TOPO_REPORT_OTHERS ? 0 : TOPO_REPORT_ROWS_OF_OTHERS))
        return NULL;
    struct topo_report_row *row = &sheet->row[sheet->rows];
    *row = (struct topo_report_row){
        comm, algorithm, size_class, .ranks = 1, .least_rank = sheet->rank.rank, .most_rank = sheet->rank.rank};
    sheet->rows++;
    return row;
}

/* One more element at the end of an array that has room for powers of two; NULL: memory is out. */
static void *grow(void *array, int count, size_t size, bool *grown)
{
    *grown = true;
    if (count > 0 && (count & (count - 1)) != 0)
        return array;
    void *longer = topo_realloc(array, count > 0 ? 2 * (size_t)count : 1, size);
    *grown = longer != NULL;
    return longer ? longer : array;
}

#define APPEND(report, array, count, element) \
    (__extension__({ \
        bool grown_; \
        (report)->array = grow((report)->array, (report)->count, sizeof *(report)->array, &grown_); \
        if (grown_) \
            (report)->array[(report)->count++] = (element); \
        grown_; \
    }))

static void add_row(struct topo_report_row *to, const struct topo_report_row *from)
{
    if (from->least < to->least) {
        to->least = from->least;
        to->least_rank = from->least_rank;
    }
    if (from->most > to->most) {
        to->most = from->most;
        to->most_rank = from->most_rank;
    }
    to->ranks += from->ranks;
    to->calls += from->calls;
    to->bytes += from->bytes;
    to->seconds += from->seconds;
    to->waited += from->waited;
    to->open += from->open;
    to->modelled += from->modelled;
    to->measured += from->measured;
    to->modelled_native += from->modelled_native;
    to->measured_native += from->measured_native;
    to->measured_ours += from->measured_ours;
    to->saved_squares += from->saved_squares;
}

static bool add_rows(struct topo_report *report, const struct topo_report_comm *comm, const struct topo_report_row *row,
                     int rows)
{
    bool added = true;
    for (int k = 0; k < rows; k++) {
        struct topo_report_row one = row[k];
        one.comm = find_comm(report->comm, report->comms, &comm[row[k].comm]);
        if (one.comm == report->comms && !APPEND(report, comm, comms, comm[row[k].comm])) {
            added = false;
            continue;
        }
        int i = 0;
        while (i < report->rows && (report->row[i].comm != one.comm || report->row[i].algorithm != one.algorithm ||
                                    report->row[i].size_class != one.size_class))
            i++;
        if (i < report->rows)
            add_row(&report->row[i], &one);
        else
            added = APPEND(report, row, rows, one) && added;
    }
    return added;
}

static bool add_functions(struct topo_report *report, const struct topo_report_function *function, int functions)
{
    bool added = true;
    for (int k = 0; k < functions; k++) {
        const struct topo_report_function *from = &function[k];
        int i = 0;
        while (i < report->functions && report->function[i].function != from->function)
            i++;
        if (i == report->functions) {
            added = APPEND(report, function, functions, *from) && added;
            continue;
        }
        struct topo_report_function *to = &report->function[i];
        if (from->most > to->most) {
            to->most = from->most;
            to->most_rank = from->most_rank;
        }
        to->ranks += from->ranks;
        to->calls += from->calls;
        to->bytes += from->bytes;
        to->seconds += from->seconds;
    }
    return added;
}

/* What a rank counted by name; its time in MPI, and until its last call, where that is not known by others, to *rank.
 */
static bool add_counted(struct topo_report *report, const struct topo_report_sheet *sheet,
                        struct topo_report_rank *rank)
{
    const struct topo_functions *counted = &sheet->functions;
    bool added = true;
    for (int i = 0; i < TOPO_FUNCTION_COUNT && counted->tick > 0; i++) {
        const struct topo_report_function one = topo_report_function_of(sheet, i);
        rank->mpi += one.seconds;
        added = (one.calls == 0 || add_functions(report, &one, 1)) && added;
    }
    for (int i = 0; i < TOPO_FUNCTION_THREADS && counted->tick > 0 && !rank->ended; i++)
        if (counted->last[i] > counted->started)
            rank->run = fmax(rank->run, counted->tick * (double)(counted->last[i] - counted->started));
    return added;
}

enum topo_status topo_report_add_sheet(struct topo_report *report, const struct topo_report_sheet *sheet)
{
    struct topo_report_rank rank = sheet->rank;
    if (report->ranks == 0)
        report->job = sheet->job;
    report->unlisted += sheet->unlisted;
    const bool counted = add_counted(report, sheet, &rank), added = APPEND(report, rank, ranks, rank) && counted;
    return add_rows(report, sheet->comm, sheet->row, sheet->rows) && added ? TOPO_OK : TOPO_NOMEM;
}

struct packed {
    int64_t unlisted;
    int32_t ranks, comms, rows, functions;
};

void topo_report_pack(const struct topo_report *report, char **bytes, size_t *count)
{
    const struct packed head = {report->unlisted, report->ranks, report->comms, report->rows, report->functions};
    const size_t ranks = (size_t)report->ranks * sizeof *report->rank,
                 comms = (size_t)report->comms * sizeof *report->comm,
                 rows = (size_t)report->rows * sizeof *report->row,
                 functions = (size_t)report->functions * sizeof *report->function;
    *count = sizeof head + ranks + comms + rows + functions;
    char *at = *bytes = topo_alloc(*count, 1);
    if (!at)
        return;
    memcpy(at, &head, sizeof head);
    if (ranks)
        memcpy(at + sizeof head, report->rank, ranks);
    if (comms)
        memcpy(at + sizeof head + ranks, report->comm, comms);
    if (rows)
        memcpy(at + sizeof head + ranks + comms, report->row, rows);
    if (functions)
        memcpy(at + sizeof head + ranks + comms + rows, report->function, functions);
}

enum topo_status topo_report_add_packed(struct topo_report *report, const char *bytes, size_t count)
{
    struct packed head;
    if (count < sizeof head)
        return TOPO_PARSE;
    memcpy(&head, bytes, sizeof head);
    if (head.ranks < 0 || head.comms < 0 || head.rows < 0 || head.functions < 0 ||
        count != sizeof head + (size_t)head.ranks * sizeof(struct topo_report_rank) +
                     (size_t)head.comms * sizeof(struct topo_report_comm) +
                     (size_t)head.rows * sizeof(struct topo_report_row) +
                     (size_t)head.functions * sizeof(struct topo_report_function))
        return TOPO_PARSE;
    const struct topo_report_rank *rank = (const void *)(bytes + sizeof head);
    const struct topo_report_comm *comm = (const void *)(rank + head.ranks);
    const struct topo_report_row *row = (const void *)(comm + head.comms);
    bool added = add_functions(report, (const void *)(row + head.rows), head.functions);
    for (int i = 0; i < head.ranks; i++)
        added = APPEND(report, rank, ranks, rank[i]) && added;
    report->unlisted += head.unlisted;
    return add_rows(report, comm, row, head.rows) && added ? TOPO_OK : TOPO_NOMEM;
}

static int by_rank(const void *a, const void *b)
{
    return ((const struct topo_report_rank *)a)->rank - ((const struct topo_report_rank *)b)->rank;
}

static int by_time(const void *a, const void *b)
{
    const struct topo_report_row *x = a, *y = b;
    return x->seconds != y->seconds ? (x->seconds < y->seconds) - (x->seconds > y->seconds)
                                    : x->algorithm - y->algorithm;
}

static int by_time_of_function(const void *a, const void *b)
{
    const struct topo_report_function *x = a, *y = b;
    return x->seconds != y->seconds ? (x->seconds < y->seconds) - (x->seconds > y->seconds) : x->function - y->function;
}

void topo_report_sort(struct topo_report *report)
{
    if (report->ranks)
        qsort(report->rank, (size_t)report->ranks, sizeof *report->rank, by_rank);
    if (report->rows)
        qsort(report->row, (size_t)report->rows, sizeof *report->row, by_time);
    if (report->functions)
        qsort(report->function, (size_t)report->functions, sizeof *report->function, by_time_of_function);
}

void topo_report_free(struct topo_report *report)
{
    topo_free_all(report->rank, report->comm, report->row, report->function);
    *report = (struct topo_report){.ranks = 0};
}

static void add_rank(const struct topo_report *report, int i, struct topo_report_total *total)
{
    const struct topo_report_rank *rank = &report->rank[i];
    const double outside = topo_report_outside(rank);
    total->mpi += rank->mpi;
    total->ended += rank->ended;
    total->run += rank->run;
    total->run_most = fmax(total->run_most, rank->run);
    total->outside += outside;
    total->outside_most = fmax(total->outside_most, outside);
    total->processor = rank->processor < 0 || total->processor < 0 ? -1 : total->processor + rank->processor;
    if (rank->memory > total->memory_most) {
        total->memory_most = rank->memory;
        total->memory_rank = i;
    }
}

void topo_report_total(const struct topo_report *report, struct topo_report_total *total)
{
    double variance = 0;
    *total = (struct topo_report_total){.memory_most = -1};
    for (int i = 0; i < report->ranks; i++)
        add_rank(report, i, total);
    for (int i = 0; i < report->rows; i++) {
        const struct topo_report_row *row = &report->row[i];
        const struct topo_algorithm *algorithm = topo_algorithm((enum topo_algorithm_id)row->algorithm);
        total->calls += (double)row->calls;
        total->seconds += row->seconds;
        total->waited += row->waited;
        total->open += row->open;
        if (algorithm == topo_algorithm_native(algorithm->operation))
            continue;
        const double saved = row->measured_native - row->measured_ours;
        total->ours += (double)row->calls;
        total->measured_ours += row->measured_ours;
        total->measured_native += row->measured_native;
        /* Of a sum of so many; one alone says nothing. */
        const double n = (double)row->measured;
        if (n > 1)
            variance += n / (n - 1) * fmax(0, row->saved_squares - saved * saved / n);
        else
            variance += row->saved_squares;
    }
    total->error = 2 * sqrt(variance);
}
