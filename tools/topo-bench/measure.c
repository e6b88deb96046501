#include "topo-bench/measure.h"

#include <string.h>

#include "base/memory.h"
#include "coll/call/choose.h"
#include "comm/comm.h"
#include "topo-bench/native_form.h"
#include "topo-bench/plan.h"
#include "topo-bench/progress.h"
#include "topo-bench/settle.h"

/* First calls: plans are made, buffers touched, and the library sees that the communicator is in use. */
enum { WARM_UP = 6 };
/* What makes first calls differ is short: calls of more than these seconds need two of them, or one. */
static const double LONG_CALL = 0.02, VERY_LONG_CALL = 0.1;

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

/* A copy; NULL where memory is out, now or when it was looked for. */
static char *name_of(const struct topo_algorithm *algorithm)
{
    return algorithm ? topo_strdup(algorithm->name) : NULL;
}

/* A call with fresh contents, checked; returns the seconds of it. What is found is in *result. */
static double checked_call(const struct bench_run *run, struct bench_call *call, const struct bench_variant *variant,
                           struct bench_result *result)
{
    int code;
    call->round++;
    if (run->operation->fill)
        run->operation->fill(call);
    PMPI_Barrier(MPI_COMM_WORLD);
    bench_native_enter(bench_operation_id(run->operation), variant->form);
    double start = PMPI_Wtime();
    code = run->operation->run(call, variant);
    double seconds = PMPI_Wtime() - start;
    bench_native_leave(bench_operation_id(run->operation), variant->form);
    struct {
        double seconds, failed, wrong;
    } all = {seconds, code != MPI_SUCCESS, 0};
    all.wrong = code == MPI_SUCCESS && run->operation->wrong && run->operation->wrong(call) > 0;
    PMPI_Allreduce(MPI_IN_PLACE, &all, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    result->failed = result->failed || all.failed > 0;
    result->wrong = result->wrong || all.wrong > 0;
    return all.seconds;
}

static int calls_enough(double seconds)
{
    return seconds > VERY_LONG_CALL ? 1 : seconds > LONG_CALL ? 2 : WARM_UP;
}

/* A few calls, as long as they are right; the shortest is their time for the plan: one hiccup shall not leave the
 * variant out. 0: it failed. */
static double first_calls(const struct bench_run *run, struct bench_call *call, const struct bench_variant *variant,
                          struct bench_result *result)
{
    double least = 0;
    for (int i = 0; !result->failed && (i == 0 || i < calls_enough(least)); i++) {
        double each = checked_call(run, call, variant, result);
        bench_grant(run->comm);
        least = i == 0 || each < least ? each : least;
    }
    return result->failed ? 0 : least;
}

struct auto_call {
    struct bench_call *call;
    const struct bench_variant *variant;
};

static int call_auto(void *context)
{
    const struct auto_call *of = context;
    return of->call->operation->run(of->call, of->variant);
}

/* The size that a call has for the library, which of blocks of irregular lengths is what they are on average: about as
 * long as `bytes`. A block that goes to all is the one that its rank has for itself (blocks.c). */
static size_t looked_up(const struct bench_run *run, size_t bytes)
{
    int ranks;
    size_t total = 0, blocks = 0;
    const bool exchanged = run->operation->blocks == BENCH_BLOCKS_EXCHANGED;
    if (!run->operation->length || run->operation->blocks == BENCH_BLOCK_OF_ROOT)
        return bytes;
    PMPI_Comm_size(run->comm, &ranks);
    for (int from = 0; from < ranks; from++)
        for (int to = exchanged ? 0 : from; to <= (exchanged ? ranks - 1 : from); to++, blocks++)
            total += run->operation->length(run->request, ranks, from, to, bytes);
    return (total + blocks - 1) / blocks;
}

static struct bench_settling settling_of(const struct bench_run *run, size_t bytes)
{
    return (struct bench_settling){.comm = run->comm,
                                   .operation = bench_operation_id(run->operation),
                                   .bytes = looked_up(run, bytes),
                                   .one_form = run->operation->one_form && run->operation->one_form(run->request),
                                   .batch = run->request->batch,
                                   .call = call_auto};
}

/* First calls of every variant that applies, for the plan. What `auto` has settled on may be far faster than what it
 * began with, and its samples are to have as many calls as those of others as fast. */
static void find_times(const struct bench_run *run, struct bench_call *call, struct bench_result *result,
                       const bool *applicable, struct bench_planned *planned)
{
    for (int v = 0; v < run->variants->count; v++) {
        const struct bench_variant *variant = &run->variants->variant[v];
        planned[v] = (struct bench_planned){.named = variant->named};
        if (applicable[v])
            planned[v].seconds = first_calls(run, call, variant, &result[v]);
    }
    for (int v = 0; v < run->variants->count; v++) {
        const struct bench_variant *variant = &run->variants->variant[v];
        if (strcmp(variant->name, "auto") || !planned[v].seconds)
            continue;
        struct bench_settling settling = settling_of(run, call->bytes);
        settling.context = &(struct auto_call){call, variant};
        bench_settle(&settling);
        planned[v].seconds = first_calls(run, call, variant, &result[v]);
    }
}

/* One sample: `batch` calls one after the other. Calls in a row come as in a
 * program, and what the ranks' leaving the barrier at different times adds (a
 * millisecond, where they share cores) is divided by the batch. */
static double sample(const struct bench_run *run, struct bench_call *call, const struct bench_variant *variant,
                     int batch)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    bench_native_enter(bench_operation_id(run->operation), variant->form);
    double start = PMPI_Wtime();
    for (int i = 0; i < batch; i++)
        run->operation->run(call, variant);
    double seconds = (PMPI_Wtime() - start) / batch;
    bench_native_leave(bench_operation_id(run->operation), variant->form);
    return seconds;
}

/* All variants in turn, `samples` times; times[v * samples + i] is the longest of all ranks. A row of short calls goes
 * before them and is not counted: `auto` begins with native until a communicator has been used some while, and who
 * calls often has that once. */
static void take_samples(const struct bench_run *run, struct bench_call *call, const struct bench_result *result,
                         int samples, double *times)
{
    int count = run->variants->count;
    double shown = PMPI_Wtime();
    for (int v = 0; v < count; v++)
        if (result[v].batch > 1)
            sample(run, call, &run->variants->variant[v], result[v].batch);
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
            bench_progress((i + 1.0) / samples, "%s, %zu bytes, sample %d of %d", run->operation->name, call->bytes,
                           i + 1, samples);
        }
    }
    PMPI_Reduce(run->rank ? times : MPI_IN_PLACE, times, count * samples, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
}

struct lengths_of_call {
    const struct bench_run *run;
    int ranks;
    size_t mean;
};

static double length_of(int from, int to, const void *context)
{
    const struct lengths_of_call *of = context;
    return (double)of->run->operation->length(of->run->request, of->ranks, from, to, of->mean);
}

/* The bound: the traffic of all communicators together. Rank 0 only. */
static enum topo_status find_bound(const struct bench_run *run, size_t bytes, struct bench_size *size,
                                   struct topo_error *error)
{
    struct bench_traffic *traffic = NULL;
    enum topo_status status = bench_traffic_new(run->tree, &traffic, error);
    TOPO_SCOPED int *members = topo_calloc((size_t)run->ranks, sizeof *members);
    int level;
    if (status == TOPO_OK && !members)
        status = topo_fail(error, TOPO_NOMEM, "out of memory");
    for (int colour = 0; status == TOPO_OK && colour < run->request->split; colour++) {
        int count = 0;
        for (int rank = 0; rank < run->ranks; rank++)
            if (bench_request_colour(run->request, rank, run->ranks) == colour)
                members[count++] = rank;
        const struct lengths_of_call of = {run, count, bytes};
        const struct bench_lengths lengths = {(double)bytes, run->operation->length ? length_of : NULL, &of};
        if (run->operation->bound)
            run->operation->bound(traffic, members, count, &lengths);
    }
    if (status == TOPO_OK) {
        size->bound = bench_traffic_seconds(traffic, run->rate, &level);
        size->bound_level = level < 0 ? NULL : topo_strdup(topo_level_name(run->tree->kind[level]));
    }
    bench_traffic_free(traffic);
    return status;
}

/* In what share of the rounds a variant's sample was shorter than native's. */
static double share_faster(const double *times, const double *native, int samples)
{
    int faster = 0;
    for (int i = 0; i < samples; i++)
        faster += times[i] < native[i];
    return (double)faster / samples;
}

/* The samples' statistics into the results. Those left out for their length have their first call. */
static void keep_times(const struct bench_variants *variants, const struct bench_planned *planned, int samples,
                       double *times, struct bench_result *result)
{
    int count = variants->count, native = -1;
    for (int v = 0; v < count; v++)
        native = result[v].batch && !strcmp(variants->variant[v].name, "native") ? v : native;
    /* Before the statistics sort them. */
    for (int v = 0; v < count && native >= 0; v++)
        if (result[v].batch)
            result[v].faster =
                share_faster(&times[(size_t)v * (size_t)samples], &times[(size_t)native * (size_t)samples], samples);
    for (int v = 0; v < count; v++) {
        double once = planned[v].seconds;
        if (result[v].batch)
            result[v].seconds = bench_statistics_of(&times[(size_t)v * (size_t)samples], samples);
        else if (once > 0)
            result[v].seconds = bench_statistics_of(&once, 1);
    }
}

static enum topo_status measure_size(const struct bench_run *run, bool *applicable, size_t asked,
                                     struct bench_size *size, struct topo_error *error)
{
    struct bench_call call = {.operation = run->operation, .request = run->request, .comm = run->comm};
    int count = run->variants->count, samples;
    TOPO_SCOPED double *times = NULL;
    TOPO_SCOPED struct bench_planned *planned = topo_calloc((size_t)count, sizeof *planned);
    enum topo_status status = TOPO_OK;
    PMPI_Comm_rank(run->comm, &call.rank);
    PMPI_Comm_size(run->comm, &call.ranks);
    /* Without data not 0: pictures have a logarithmic axis. */
    call.bytes = size->bytes = run->operation->sizeless ? 1
                               : run->operation->fit    ? run->operation->fit(run->request, asked)
                                                        : asked;
    bool opened = !run->operation->open || run->operation->open(&call);
    if (all_max(opened && planned ? 0 : 1) > 0) {
        status = topo_fail(error, TOPO_NOMEM,
                           "no memory for the buffers at %zu bytes, counts beyond int, or a graph of more messages "
                           "than pairs or bytes",
                           asked);
        goto out;
    }
    bench_progress(0, "%s, %zu bytes, first calls", run->operation->name, size->bytes);
    find_times(run, &call, size->result, applicable, planned);
    samples = bench_plan(run->request, planned, count);
    for (int v = 0; v < count; v++)
        size->result[v].batch = planned[v].batch;
    times = topo_calloc((size_t)count * (size_t)samples, sizeof *times);
    if (all_max(times ? 0 : 1) > 0) {
        status = topo_fail(error, TOPO_NOMEM, "no memory for %d times", count * samples);
        goto out;
    }
    take_samples(run, &call, size->result, samples, times);
    bool settled;
    const struct bench_settling settling = settling_of(run, size->bytes);
    size->looked_up = settling.bytes;
    size->took = name_of(bench_taken(&settling, &settled));
    keep_times(run->variants, planned, samples, times, size->result);
    for (int v = 0; v < count; v++) {
        if (size->result[v].batch)
            checked_call(run, &call, &run->variants->variant[v], &size->result[v]);
        if (size->result[v].batch && run->operation->ran)
            size->result[v].ran = run->operation->ran(&call, &run->variants->variant[v]);
        /* What failed once is not tried again at the next size. */
        applicable[v] = applicable[v] && !size->result[v].failed;
    }
    if (run->rank == 0)
        status = find_bound(run, size->bytes, size, error);
out:
    if (run->operation->close)
        run->operation->close(&call);
    return all_max(status == TOPO_OK ? 0 : 1) > 0 && status == TOPO_OK ? TOPO_NOMEM : status;
}

/* Several graphs at one size: of each the first call, in which its schedule is made, and one sample of later ones. */
static enum topo_status measure_graphs(const struct bench_run *run, bool *applicable, size_t mean,
                                       struct bench_size *size, struct topo_error *error)
{
    int count = run->variants->count, graphs = (int)run->request->graphs;
    TOPO_SCOPED struct bench_planned *planned = topo_calloc((size_t)count, sizeof *planned);
    TOPO_SCOPED double *times = topo_calloc((size_t)count * (size_t)graphs, sizeof *times);
    TOPO_SCOPED double *first = topo_calloc((size_t)count * (size_t)graphs, sizeof *first);
    double bound = 0;
    enum topo_status status = TOPO_OK;
    if (all_max(planned && times && first ? 0 : 1) > 0)
        status = topo_fail(error, TOPO_NOMEM, "no memory for %d times", count * graphs);
    for (int g = 0; g < graphs && status == TOPO_OK; g++) {
        struct bench_request request = *run->request;
        struct bench_run one = *run;
        struct bench_call call = {.operation = run->operation, .request = &request, .comm = run->comm, .bytes = mean};
        request.seed = g;
        one.request = &request;
        PMPI_Comm_rank(run->comm, &call.rank);
        PMPI_Comm_size(run->comm, &call.ranks);
        call.bytes = size->bytes = mean;
        if (all_max(run->operation->open(&call) ? 0 : 1) > 0)
            status =
                topo_fail(error, TOPO_NOMEM,
                          "no memory for graph %d of %zu bytes, or more messages than pairs or bytes", g + 1, mean);
        for (int v = 0; v < count && status == TOPO_OK; v++) {
            const struct bench_variant *variant = &run->variants->variant[v];
            struct bench_result *result = &size->result[v];
            if (!applicable[v] || result->failed)
                continue;
            /* Before the first graph the library looks whether the communicator is in use; later a schedule is looked
             * at in some calls only. */
            double seconds = checked_call(&one, &call, variant, result);
            for (int i = 0; i < (g == 0 ? WARM_UP : 2); i++)
                planned[v].seconds = checked_call(&one, &call, variant, result);
            first[(size_t)v * (size_t)graphs + (size_t)g] = seconds;
            if (run->operation->ran)
                result->ran = run->operation->ran(&call, variant);
        }
        if (g == 0 && status == TOPO_OK) {
            bench_plan(run->request, planned, count);
            for (int v = 0; v < count; v++)
                size->result[v].batch = size->result[v].failed ? 0 : planned[v].batch;
        }
        for (int k = 0; k < count && status == TOPO_OK; k++) {
            int v = (k + g) % count;
            if (size->result[v].batch)
                times[(size_t)v * (size_t)graphs + (size_t)g] =
                    all_max(sample(&one, &call, &run->variants->variant[v], size->result[v].batch));
        }
        if (run->rank == 0 && status == TOPO_OK)
            status = find_bound(&one, mean, size, error);
        bound += size->bound / graphs;
        bench_progress((g + 1.0) / graphs, "%s, %zu bytes, graph %d of %d", run->operation->name, mean, g + 1, graphs);
        run->operation->close(&call);
        status = all_max(status == TOPO_OK ? 0 : 1) > 0 && status == TOPO_OK ? TOPO_NOMEM : status;
    }
    if (status == TOPO_OK) {
        size->took = name_of(topo_algorithm_for(run->comm, bench_operation_id(run->operation), mean, false));
        size->bound = bound;
        keep_times(run->variants, planned, graphs, times, size->result);
        for (int v = 0; v < count; v++)
            if (size->result[v].batch)
                size->result[v].first = bench_statistics_of(&first[(size_t)v * (size_t)graphs], graphs);
    }
    return status;
}

enum topo_status bench_measure(struct bench_run *run, struct bench_report *report, struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    TOPO_SCOPED bool *applicable = topo_calloc((size_t)run->variants->count, sizeof *applicable);
    if (all_max(applicable ? 0 : 1) > 0)
        return topo_fail(error, TOPO_NOMEM, "out of memory");
    for (int v = 0; v < run->variants->count; v++)
        applicable[v] = applies(run, &run->variants->variant[v]);
    for (int i = 0; i < report->sizes && status == TOPO_OK; i++) {
        status = (run->request->graphs > 1 ? measure_graphs : measure_size)(
            run, applicable, run->request->sizes.bytes[i], &report->size[i], error);
        bench_progress_size();
        if (status == TOPO_OK && run->rank == 0)
            run->size_done(run, report, i);
    }
    return status;
}
