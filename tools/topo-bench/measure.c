#include "topo-bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "coll/choose.h"
#include "comm/comm.h"

enum {
    WARM_UP = 6, /* calls: plans are made, buffers touched, and the library sees that the communicator is in use */
    BATCH_MAX = 10000
};
static const double LONG_CALL = 0.02;

/* The largest of all ranks' values. */
static double all_max(double value)
{
    PMPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return value;
}

/* True when the algorithm runs in every communicator: its restrictions hold, and
 * the library has not left the communicator to the MPI library altogether (one node). */
static bool applies(const struct bench_run *run, const struct bench_variant *variant)
{
    struct topo_comm *state = NULL;
    bool ok = true;
    if (variant->algorithm)
        ok = topo_comm_of(run->comm, &state) == MPI_SUCCESS && state && !state->native &&
             topo_algorithm_applies(variant->algorithm, state->ranks, NULL);
    return all_max(ok ? 0 : 1) < 1;
}

/* A call with fresh contents, checked; seconds of it in *seconds. */
static enum topo_status checked_call(const struct bench_run *run, struct bench_call *call,
                                     const struct bench_variant *variant, bool *wrong, double *seconds,
                                     struct topo_error *error)
{
    int code;
    call->round++;
    run->operation->fill(call);
    PMPI_Barrier(MPI_COMM_WORLD);
    double start = PMPI_Wtime();
    code = run->operation->run(call, variant);
    *seconds = all_max(PMPI_Wtime() - start);
    if (all_max(code == MPI_SUCCESS ? 0 : 1) > 0)
        return topo_fail(error, TOPO_MPI, "%s returned an error at %zu bytes", variant->name, call->bytes);
    *wrong = all_max(run->operation->wrong(call) ? 1 : 0) > 0 || *wrong;
    return TOPO_OK;
}

/* `calls` checked calls of every variant; seconds[v] (may be NULL) is what the last one took. */
static enum topo_status check_all(const struct bench_run *run, struct bench_call *call, struct bench_result *result,
                                  const bool *applicable, int calls, double *seconds, struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    for (int v = 0; v < run->variants->count && status == TOPO_OK; v++) {
        double each = 0;
        /* Long calls need no more than two: what makes the first ones differ is short. */
        for (int i = 0; applicable[v] && status == TOPO_OK && i < (each > LONG_CALL && calls > 2 ? 2 : calls); i++)
            status = checked_call(run, call, &run->variants->variant[v], &result[v].wrong, &each, error);
        if (seconds)
            seconds[v] = each;
    }
    return status;
}

/* One line that overwrites itself. */
static void progress(const struct bench_run *run, const char *format, size_t bytes, int done, int calls)
{
    if (run->rank != 0 || !run->request->progress)
        return;
    fprintf(stderr, format, run->operation->name, bytes, done, calls);
    fflush(stderr);
}

/* One sample: `batch` calls one after the other. Calls in a row come as in a
 * program, and what the ranks' leaving the barrier at different times adds (a
 * millisecond, where they share cores) is divided by the batch. */
static double sample(const struct bench_run *run, struct bench_call *call, const struct bench_variant *variant,
                     int batch)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    double start = PMPI_Wtime();
    for (int i = 0; i < batch; i++)
        run->operation->run(call, variant);
    return (PMPI_Wtime() - start) / batch;
}

/* All variants in turn, `samples` times; times[v * samples + i] is the longest of all ranks. */
static void take_samples(const struct bench_run *run, struct bench_call *call, const struct bench_result *result,
                         int samples, double *times)
{
    int count = run->variants->count;
    double shown = PMPI_Wtime();
    for (int i = 0; i < samples; i++) {
        for (int k = 0; k < count; k++) {
            /* Everyone comes after everyone else once: what a call leaves behind is shared evenly. */
            int v = (k + i) % count;
            if (result[v].batch)
                times[(size_t)v * (size_t)samples + (size_t)i] =
                    sample(run, call, &run->variants->variant[v], result[v].batch);
        }
        if (PMPI_Wtime() - shown > 0.5) {
            shown = PMPI_Wtime();
            progress(run, "\r" BENCH_TOOL ": %s, %zu bytes, sample %d of %d \033[K", call->bytes, i + 1, samples);
        }
    }
    PMPI_Reduce(run->rank ? times : MPI_IN_PLACE, times, count * samples, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
}

/* The bound: the traffic of all communicators together. Rank 0 only. */
static enum topo_status find_bound(const struct bench_run *run, size_t bytes, struct bench_size *size,
                                   struct topo_error *error)
{
    struct bench_traffic *traffic = NULL;
    enum topo_status status = bench_traffic_new(run->tree, &traffic, error);
    int *members = topo_calloc((size_t)run->ranks, sizeof *members), level;
    if (status == TOPO_OK && !members)
        status = topo_fail(error, TOPO_NOMEM, "out of memory");
    for (int colour = 0; status == TOPO_OK && colour < run->request->split; colour++) {
        int count = 0;
        for (int rank = 0; rank < run->ranks; rank++)
            if (bench_request_colour(run->request, rank, run->ranks) == colour)
                members[count++] = rank;
        run->operation->bound(traffic, members, count, run->request, bytes);
    }
    if (status == TOPO_OK) {
        size->bound = bench_traffic_seconds(traffic, run->rate, &level);
        size->bound_level = level < 0 ? NULL : topo_strdup(topo_level_name(run->tree->kind[level]));
    }
    bench_traffic_free(traffic);
    topo_free(members);
    return status;
}

/* Calls per sample of each variant, and the number of samples, from what a call of each takes: the same on all ranks.
 */
static int plan_samples(const struct bench_request *request, const bool *applicable, int count, const double *seconds,
                        struct bench_result *result)
{
    double turn = 0;
    for (int v = 0; v < count; v++) {
        double each = seconds[v] > 1e-7 ? seconds[v] : 1e-7, calls = ceil(request->batch / each);
        result[v].batch = !applicable[v] ? 0 : calls > BATCH_MAX ? BATCH_MAX : calls < 1 ? 1 : (int)calls;
        turn += result[v].batch * each;
    }
    double possible = turn > 0 ? request->seconds / turn : 1;
    int samples = (int)(possible < (double)request->samples_max ? possible : (double)request->samples_max);
    return samples < request->samples_min ? (int)request->samples_min : samples;
}

static enum topo_status measure_size(struct bench_run *run, const bool *applicable, size_t asked,
                                     struct bench_size *size, struct topo_error *error)
{
    struct bench_call call = {.request = run->request, .comm = run->comm};
    int count = run->variants->count, operation = bench_operation_id(run->operation), samples;
    double *times = NULL, *seconds = topo_calloc((size_t)count, sizeof *seconds);
    enum topo_status status;
    PMPI_Comm_rank(run->comm, &call.rank);
    PMPI_Comm_size(run->comm, &call.ranks);
    call.bytes = size->bytes = run->operation->fit(run->request, asked);
    if (all_max(run->operation->open(&call) && seconds ? 0 : 1) > 0) {
        status = topo_fail(error, TOPO_NOMEM, "no memory for the buffers at %zu bytes, or counts beyond int", asked);
        goto out;
    }
    progress(run, "\r" BENCH_TOOL ": %s, %zu bytes, first calls \033[K", size->bytes, 0, 0);
    status = check_all(run, &call, size->result, applicable, WARM_UP, seconds, error);
    if (status != TOPO_OK)
        goto out;
    if (operation >= 0)
        size->took = topo_strdup(topo_planned(run->comm, (enum topo_operation)operation, size->bytes)->name);
    samples = plan_samples(run->request, applicable, count, seconds, size->result);
    times = topo_calloc((size_t)count * (size_t)samples, sizeof *times);
    if (all_max(times ? 0 : 1) > 0) {
        status = topo_fail(error, TOPO_NOMEM, "no memory for %d times", count * samples);
        goto out;
    }
    take_samples(run, &call, size->result, samples, times);
    for (int v = 0; v < count; v++)
        if (applicable[v])
            size->result[v].seconds = bench_statistics_of(&times[(size_t)v * (size_t)samples], samples);
    status = check_all(run, &call, size->result, applicable, 1, NULL, error);
    if (status == TOPO_OK && run->rank == 0)
        status = find_bound(run, size->bytes, size, error);
out:
    run->operation->close(&call);
    topo_free(times);
    topo_free(seconds);
    return all_max(status == TOPO_OK ? 0 : 1) > 0 && status == TOPO_OK ? TOPO_NOMEM : status;
}

enum topo_status bench_measure(struct bench_run *run, struct bench_report *report, struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    bool *applicable = topo_calloc((size_t)run->variants->count, sizeof *applicable);
    if (all_max(applicable ? 0 : 1) > 0) {
        topo_free(applicable);
        return topo_fail(error, TOPO_NOMEM, "out of memory");
    }
    for (int v = 0; v < run->variants->count; v++)
        applicable[v] = applies(run, &run->variants->variant[v]);
    for (int i = 0; i < report->sizes && status == TOPO_OK; i++) {
        status = measure_size(run, applicable, run->request->sizes.bytes[i], &report->size[i], error);
        progress(run, "\r\033[K", 0, 0, 0);
        if (status == TOPO_OK && run->rank == 0)
            run->size_done(report, i);
    }
    topo_free(applicable);
    return status;
}
