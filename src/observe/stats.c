#include "observe/stats.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <mpi.h>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "catalog/flag.h"
#include "job/about.h"
#include "job/job.h"
#include "model/cost.h"
#include "observe/stats_report.h"
#include "catalog/size_class.h"

/* Size bin k holds the calls of 2^(k-1) < bytes <= 2^k; bin 0 those of 0 and 1 byte. */
enum { BINS = 65 };

static struct topo_stats_cell counted[TOPO_ALGORITHM_COUNT][BINS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool topo_stats_wanted(void)
{
    return topo_job.active && topo_job.options.value[TOPO_OPTION_STATS].flag;
}

bool topo_stats_model(void)
{
    /* Defaults of the model say nothing of this machine's native calls. */
    return topo_job.tuning.measured;
}

void topo_stats_add(const struct topo_algorithm *algorithm, size_t bytes, double seconds, double modelled,
                    double native, double ours)
{
    int bin = topo_size_class(bytes);
    pthread_mutex_lock(&lock);
    counted[algorithm->id][bin].calls++;
    counted[algorithm->id][bin].seconds += seconds;
    if (modelled >= 0) {
        counted[algorithm->id][bin].modelled++;
        counted[algorithm->id][bin].modelled_native += modelled;
    }
    if (native >= 0) {
        counted[algorithm->id][bin].measured++;
        counted[algorithm->id][bin].measured_native += native;
        counted[algorithm->id][bin].measured_ours += ours;
    }
    pthread_mutex_unlock(&lock);
}

const struct topo_passed_calls *topo_stats_passed;

long topo_stats_passed_calls(int number, const char **name)
{
    static const char *const names[] = {
#define PASSED(Name, ...) "MPI_" #Name,
#define PASSED_LARGE(Name, ...) "MPI_" #Name, "MPI_" #Name "_c",
#include "catalog/passed.def"
    };
    if (number >= TOPO_PASSED_COUNT || !topo_stats_passed)
        return -1;
    long calls = topo_stats_passed->c[number];
    TOPO_FORTRAN_77(calls += topo_stats_passed->fortran_77[number];)
    TOPO_FORTRAN_08(calls += topo_stats_passed->fortran_08[number];)
    *name = names[number];
    return calls;
}

/* A mean in us, or "-"; `text` holds it. */
static const char *mean(struct topo_text *text, double seconds, long calls)
{
    if (calls)
        topo_text_addf(text, "%.2f", seconds * 1e6 / (double)calls);
    return text->text ? text->text : "-";
}

/* What ours took and what the native algorithm would have taken, of the calls where that was measured. */
static void say_saved(const struct topo_stats_total *total)
{
    double seconds = total->measured_ours, native = total->measured_native;
    if (native > 0)
        topo_say("%s %.3f ms of %.3f ms, against native calls measured in this run (TOPOMPI_GUARD)",
                 seconds <= native ? "saved" : "lost", (seconds <= native ? native - seconds : seconds - native) * 1e3,
                 native * 1e3);
}

/* Seconds since the communicators were ready, hence nearly since MPI_Init. */
static double started;

void topo_stats_start(void)
{
    if (topo_stats_wanted())
        started = PMPI_Wtime();
}

static void say_text(void (*add)(struct topo_text *out), const char *begin)
{
    struct topo_text text = {0};
    topo_text_add(&text, begin);
    add(&text);
    if (!text.failed)
        topo_say("%s", text.text);
    topo_text_free(&text);
}

/* What was run where: a table that is kept, or sent to somebody, says it by itself. */
static void say_head(bool modelled)
{
    const bool off = !topo_job.options.value[TOPO_OPTION_ENABLED].flag;
    say_text(topo_about_job, "statistics of ");
    say_text(topo_about_library, "");
    topo_say("calls of rank 0, by operation and size%s%s", off ? "; TOPOMPI=off, so all are native: a baseline" : "",
             modelled ? "; the model's native is " TOPO_COST_NATIVE_OF : "");
    topo_say("%-20s %10s %10s  %-28s %14s %14s %16s%s", "operation", "bytes <=", "calls", "algorithm", "total ms",
             "us a call", "native, measured", modelled ? "  native, model" : "");
}

static void say_row(enum topo_algorithm_id id, int bin, bool with_model)
{
    char size[32];
    struct topo_text modelled = {0}, measured = {0};
    long calls = counted[id][bin].calls;
    topo_format_size((size_t)1 << bin, size, sizeof size);
    const char *model = mean(&modelled, counted[id][bin].modelled_native, counted[id][bin].modelled);
    topo_say("%-20s %10s %10ld  %-28s %14.3f %14.2f %16s%s%*s", topo_operation_name(topo_algorithm(id)->operation),
             size, calls, topo_algorithm(id)->name, counted[id][bin].seconds * 1e3,
             counted[id][bin].seconds * 1e6 / (double)calls,
             mean(&measured, counted[id][bin].measured_native, counted[id][bin].measured), with_model ? " " : "",
             with_model ? 14 : 0, with_model ? model : "");
    topo_text_free(&modelled);
    topo_text_free(&measured);
}

static struct topo_stats_total total_of(void)
{
    struct topo_stats_total total = {.elapsed = PMPI_Wtime() - started};
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        for (int bin = 0; bin < BINS; bin++) {
            const struct topo_stats_cell *cell = &counted[id][bin];
            total.calls += cell->calls;
            total.seconds += cell->seconds;
            if (topo_algorithm(id) == topo_algorithm_native(topo_algorithm(id)->operation))
                continue;
            total.ours += cell->calls;
            total.measured_ours += cell->measured_ours;
            total.measured_native += cell->measured_native;
        }
    return total;
}

/* Some names a line. */
static void say_passed(bool alone)
{
    enum { WIDTH = 120 };
    struct topo_text text = {0};
    const char *name;
    for (int i = 0; i <= TOPO_PASSED_COUNT; i++) {
        long calls = topo_stats_passed_calls(i, &name);
        if (text.text && !text.failed && (calls < 0 || strlen(text.text) > WIDTH)) {
            topo_say("not taken over: %s", text.text);
            topo_text_free(&text);
            alone = false;
        }
        if (calls > 0)
            topo_text_addf(&text, "%s%ld %s", text.text ? ", " : "", calls, name);
    }
    topo_text_free(&text);
    if (alone)
        topo_say("not taken over: no other collective was called, but for persistent ones, which are not counted");
}

static void print_table(const struct topo_stats_total *total, bool modelled)
{
    say_head(modelled);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        for (int bin = 0; bin < BINS; bin++)
            if (counted[id][bin].calls)
                say_row((enum topo_algorithm_id)id, bin, modelled);
    topo_say("total: %ld calls, %ld of them by our algorithms, %.3f ms in them, %.1f %% of %.3f s from MPI_Init to "
             "MPI_Finalize",
             total->calls, total->ours, total->seconds * 1e3,
             total->elapsed > 0 ? 100 * total->seconds / total->elapsed : 0, total->elapsed);
    say_saved(total);
    say_passed(!total->calls);
}

/* The whole value at once: a line of the application shall not fall between. */
static void write_json(const struct topo_text *out, const char *path)
{
    struct topo_error error = {""};
    int fd = path ? topo_open_file(path, O_WRONLY | O_CREAT | O_TRUNC, &error) : STDERR_FILENO;
    if (fd < 0) {
        topo_say("TOPOMPI_STATS=%s; there is no report", error.text);
        return;
    }
    int code = topo_append_file(fd, out->text);
    if (path && close(fd) != 0 && !code)
        code = errno;
    if (code)
        topo_say("TOPOMPI_STATS=%s: %s; there is no report", path ? path : "json", strerror(code));
}

static void print_json(const struct topo_stats_total *total, bool modelled, const char *path)
{
    struct topo_text out = {0};
    bool first = true;
    topo_stats_json_begin(!topo_job.options.value[TOPO_OPTION_ENABLED].flag, &out);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        for (int bin = 0; bin < BINS; bin++)
            if (counted[id][bin].calls) {
                topo_stats_json_row(topo_algorithm(id), (size_t)1 << bin, &counted[id][bin], modelled, first, &out);
                first = false;
            }
    topo_stats_json_end(total, &out);
    if (out.failed)
        topo_say("TOPOMPI_STATS=%s: %s; there is no report", path ? path : "json", strerror(ENOMEM));
    else
        write_json(&out, path);
    topo_text_free(&out);
}

void topo_stats_print(void)
{
    const bool modelled = topo_stats_model();
    if (!topo_stats_wanted() || topo_job.rank != 0)
        return;
    struct topo_stats_total total = total_of();
    const char *given = topo_job.options.value[TOPO_OPTION_STATS].text;
    if (topo_report_is_json(given))
        print_json(&total, modelled, strcasecmp(given, "json") ? given : NULL);
    else
        print_table(&total, modelled);
}
