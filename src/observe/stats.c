#include "observe/stats.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/ticks.h"
#include "catalog/flag.h"
#include "catalog/size_class.h"
#include "job/about.h"
#include "job/job.h"
#include "observe/stats_file.h"
#include "report/report.h"

static struct topo_report_sheet *sheet; /* NULL: memory is out, or nothing is counted */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Where its rows are: 1 and the row's number, by a hash of what it counts. */
enum { PLACES = 4 * TOPO_REPORT_ROWS };
static uint16_t place[PLACES];

/* When the communicators were ready, hence nearly MPI_Init. */
static double started;

bool topo_stats_wanted(void)
{
    return topo_job.active && topo_job.options.value[TOPO_OPTION_STATS].flag;
}

bool topo_stats_model(void)
{
    /* Defaults of the model say nothing of this machine's native calls. */
    return topo_job.tuning.measured;
}

static void put(void (*say)(struct topo_text *out), char *to, size_t size)
{
    struct topo_text text = {0};
    say(&text);
    snprintf(to, size, "%s", text.text ? text.text : "");
    topo_text_free(&text);
}

static void describe(struct topo_report_sheet *to)
{
    const struct topo_tree *tree = topo_job.tree;
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    to->job.ranks = topo_job.ranks;
    to->job.nodes = tree->units[topo_tree_node_level(tree)];
    to->job.number = topo_job.number;
    to->job.off = !topo_job.options.value[TOPO_OPTION_ENABLED].flag;
    to->job.modelled = topo_stats_model();
    to->job.shares = topo_job.sharing.processors;
    put(topo_about_job, to->job.about, sizeof to->job.about);
    put(topo_about_library, to->job.libraries, sizeof to->job.libraries);
    put(topo_about_mpi, to->job.mpi, sizeof to->job.mpi);
    snprintf(to->job.machine, sizeof to->job.machine, "%s", topo_job_machine());
    PMPI_Get_processor_name(host, &length);
    snprintf(to->rank.host, sizeof to->rank.host, "%.*s", (int)sizeof to->rank.host - 1, host);
    to->rank.node = topo_tree_node_of(tree, topo_job.rank);
}

struct topo_functions *_Atomic *topo_stats_functions;

/* The length of a tick, between now and when they were first read. */
static void measure_ticks(struct topo_functions *functions)
{
    const double ns = (double)(topo_clock_ns() - functions->begun_ns),
                 ticks = (double)(topo_ticks(functions->counter) - functions->begun);
    functions->tick = functions->begun_ns > 0 && ticks > 0 ? 1e-9 * ns / ticks : 0;
}

/* Where calls are counted before MPI_Init, and after MPI_Finalize: no thread shall count into a file that goes. */
static struct topo_functions *at_home;

static void begin_functions(void)
{
    if (!topo_stats_functions)
        return;
    at_home = *topo_stats_functions;
    sheet->functions = *at_home;
    measure_ticks(&sheet->functions);
    sheet->functions.started = topo_ticks(at_home->counter);
    *topo_stats_functions = &sheet->functions;
}

static void end_functions(void)
{
    if (!at_home)
        return;
    measure_ticks(&sheet->functions);
    *at_home = sheet->functions;
    *topo_stats_functions = at_home;
}

void topo_stats_start(void)
{
    if (!topo_stats_wanted())
        return;
    if (sheet)
        end_functions();
    topo_stats_file_unmap(sheet);
    started = PMPI_Wtime();
    memset(place, 0, sizeof place);
    sheet = topo_stats_file_map();
    if (!sheet)
        sheet = topo_alloc(1, sizeof *sheet);
    if (!sheet)
        return;
    topo_report_begin(sheet, topo_job.rank);
    describe(sheet);
    begin_functions();
}

/* The row of such calls, or of those of other communicators; NULL: there is no room. */
static struct topo_report_row *find_row(int comm, int algorithm, int size_class)
{
    unsigned at =
        ((unsigned)comm * TOPO_ALGORITHM_COUNT + (unsigned)algorithm) * TOPO_SIZE_CLASSES + (unsigned)size_class;
    for (at = at * 2654435761U % PLACES; place[at]; at = (at + 1) % PLACES) {
        struct topo_report_row *row = &sheet->row[place[at] - 1];
        if (row->comm == comm && row->algorithm == algorithm && row->size_class == size_class)
            return row;
    }
    struct topo_report_row *row = topo_report_row_new(sheet, comm, algorithm, size_class);
    if (row)
        place[at] = (uint16_t)(row - sheet->row + 1);
    return row || comm == TOPO_REPORT_OTHERS ? row : find_row(TOPO_REPORT_OTHERS, algorithm, size_class);
}

static void add(struct topo_report_row *row, const struct topo_stats_call *call)
{
    row->calls++;
    row->bytes += (double)call->bytes;
    row->least = row->most = row->seconds += call->seconds;
    row->waited += call->waited;
    if (call->open)
        row->open += call->seconds - call->waited;
    if (call->modelled >= 0) {
        row->modelled++;
        row->modelled_native += call->modelled;
    }
    if (call->native >= 0) {
        row->measured++;
        row->measured_native += call->native;
        row->measured_ours += call->ours;
        row->saved_squares += (call->native - call->ours) * (call->native - call->ours);
    }
}

void topo_stats_add(MPI_Comm comm, int ranks, struct topo_stats_comm *own, const struct topo_stats_call *call)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;
    if (!sheet)
        return;
    if (!own->named)
        PMPI_Comm_get_name(comm, name, &length);
    pthread_mutex_lock(&lock);
    if (!own->named)
        own->named = 1 + topo_report_comm_of(sheet, name, ranks);
    struct topo_report_row *row = find_row(own->named - 1, (int)call->algorithm->id, topo_size_class(call->bytes));
    if (row)
        add(row, call);
    else
        sheet->unlisted++;
    struct topo_report_rank *rank = &sheet->rank;
    rank->run = call->start + call->seconds - started;
    rank->inside += call->seconds;
    rank->waited += call->waited;
    rank->open += call->open ? call->seconds - call->waited : 0;
    rank->late[call->algorithm->operation] += (float)call->late;
    pthread_mutex_unlock(&lock);
}

void topo_stats_forget(struct topo_stats_comm *own)
{
    topo_free(own->slot);
    *own = (struct topo_stats_comm){.named = 0};
}

/* Collectives of this rank that are not taken over, some names a line. */
static void say_passed(const struct topo_report *own)
{
    enum { WIDTH = 120 };
    struct topo_text text = {0};
    for (int i = 0; i <= own->functions; i++) {
        if (text.text && !text.failed && (i == own->functions || strlen(text.text) > WIDTH)) {
            topo_say("not taken over: %s", text.text);
            topo_text_free(&text);
        }
        if (i < own->functions && topo_report_is_passed(own->function[i].function))
            topo_text_addf(&text, "%s%lld %s", text.text ? ", " : "", (long long)own->function[i].calls,
                           topo_report_function_name(own->function[i].function));
    }
    topo_text_free(&text);
}

static void say_lines(char *lines)
{
    for (char *line = strtok_r(lines, "\n", &lines); line; line = strtok_r(NULL, "\n", &lines))
        topo_say("%s", line);
}

static void print(const struct topo_report *report, const struct topo_report *own)
{
    const char *given = topo_job.options.value[TOPO_OPTION_STATS].text;
    const bool json = topo_report_is_json(given);
    struct topo_text out = {0};
    if (json)
        topo_report_json(report, own, &out);
    else
        topo_report_text(report, &out);
    if (topo_report_is_page(given))
        topo_report_page(&out);
    if (out.failed)
        topo_say("TOPOMPI_STATS=%s: %s; there is no report", given, strerror(ENOMEM));
    else if (json)
        topo_stats_file_write(&out, strcasecmp(given, "json") ? given : NULL);
    else
        say_lines(out.text), say_passed(own);
    topo_text_free(&out);
}

static void end(void)
{
    struct rusage used;
    sheet->rank.run = PMPI_Wtime() - started;
    sheet->rank.ended = 1;
    end_functions();
    if (getrusage(RUSAGE_SELF, &used) == 0) {
        sheet->rank.processor = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                                1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
        sheet->rank.memory = 1024.0 * (double)used.ru_maxrss;
    }
}

void topo_stats_print(void)
{
    struct topo_report own = {.ranks = 0}, all = {.ranks = 0};
    if (!topo_stats_wanted())
        return;
    if (sheet) {
        end();
        topo_report_add_sheet(&own, sheet);
        topo_report_add_sheet(&all, sheet);
    }
    topo_stats_gather(&all);
    if (topo_job.rank == 0) {
        topo_report_sort(&own);
        topo_report_sort(&all);
        print(&all, &own);
        topo_stats_file_remove();
    }
    topo_report_free(&own);
    topo_report_free(&all);
    topo_stats_file_unmap(sheet);
    sheet = NULL;
}
