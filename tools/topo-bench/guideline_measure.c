#include "topo-bench/guideline_measure.h"

#include <time.h>

#include "base/memory.h"
#include "topo-bench/guideline_call.h"
#include "topo-bench/plan.h"

enum { LEFT, RIGHT, SIDES, FIRST_CALLS = 3, LONGEST_ROW = 256 };
static const double FIRST_SECONDS = 0.05;

struct comparing {
    const struct bench_guideline_run *run;
    const struct bench_comparison *comparison;
    struct bench_buffers buffers;
    struct bench_caller caller[SIDES];
    int batch; /* calls per sample */
    uint64_t round;
    bool failed; /* on this rank */
};

static void all_max(double *values, int count)
{
    PMPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static bool any(bool here)
{
    double value = here;
    all_max(&value, 1);
    return value > 0;
}

/* Till all have come. Who has no part in a call waits asleep: its looking for messages would cost the others processor
 * time. */
static void meet(bool idle)
{
    const struct timespec nap = {.tv_nsec = 50000};
    MPI_Request request;
    int done = 0;
    PMPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (idle && !done) {
        nanosleep(&nap, NULL);
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    if (!idle)
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The rank computes. */
static void compute(double seconds)
{
    for (double start = PMPI_Wtime(); PMPI_Wtime() - start < seconds;)
        ;
}

/* Seconds of a call on this rank, `batch` calls one after the other from a common start; 0 where it has no part in
 * them. Calls with one number come equally late. */
static double sample(struct comparing *c, int side, int batch, uint64_t number)
{
    const struct bench_comparison *comparison = c->comparison;
    struct bench_caller *caller = &c->caller[side];
    bool idle = caller->comm == MPI_COMM_NULL;
    double seconds = 0;
    PMPI_Barrier(MPI_COMM_WORLD);
    if (!idle) {
        double start = PMPI_Wtime();
        for (int i = 0; i < batch; i++) {
            double late =
                comparison->late * bench_lateness(comparison->arrival, &c->run->place, (number << 20) + (uint64_t)i);
            if (late > 0)
                compute(late);
            if (bench_caller_run(caller) != MPI_SUCCESS)
                c->failed = true;
        }
        seconds = (PMPI_Wtime() - start) / batch;
    }
    if (caller->form->lower)
        meet(idle);
    return seconds;
}

/* A call of each side with fresh contents; true where all are right. */
static bool check(struct comparing *c, struct bench_comparison *comparison)
{
    for (int side = LEFT; side < SIDES; side++) {
        struct bench_caller *caller = &c->caller[side];
        bool idle = caller->comm == MPI_COMM_NULL;
        c->round++;
        bench_caller_fill(caller, c->round);
        PMPI_Barrier(MPI_COMM_WORLD);
        c->failed = (!idle && bench_caller_run(caller) != MPI_SUCCESS) || c->failed;
        meet(idle);
        double found[] = {c->failed, !c->failed && bench_caller_wrong(caller, c->round) > 0};
        all_max(found, 2);
        comparison->failed = comparison->failed || found[0] > 0;
        comparison->wrong = comparison->wrong || found[1] > 0;
    }
    return !comparison->failed && !comparison->wrong;
}

/* About what a call takes, for the plan: the least of some by themselves and of longer and longer rows, in which a rank
 * that waits for a processor delays many calls. */
static double first_calls(struct comparing *c, int side)
{
    double least = 0;
    for (int row = 1, i = 0; i < FIRST_CALLS || (row *= 4) <= LONGEST_ROW; i++) {
        if (i > 0 && row * least > FIRST_SECONDS)
            break;
        double each = sample(c, side, row, (uint64_t)i);
        all_max(&each, 1);
        least = i == 0 || each < least ? each : least;
    }
    return least;
}

/* Both sides in turn, now this one first and now the other; times[side * samples + i] is the longest of all ranks, on
 * rank 0. */
static void take_samples(struct comparing *c, int samples, double *times)
{
    for (int i = 0; i < samples; i++)
        for (int k = LEFT; k < SIDES; k++) {
            int side = (i + k) % SIDES;
            times[side * samples + i] = sample(c, side, c->batch, (uint64_t)i);
        }
    PMPI_Reduce(c->run->place.rank ? times : MPI_IN_PLACE, times, SIDES * samples, MPI_DOUBLE, MPI_MAX, 0,
                MPI_COMM_WORLD);
}

/* Rank 0. */
static void keep_times(double *times, int samples, double *ratio, struct bench_comparison *comparison)
{
    for (int i = 0; i < samples; i++)
        ratio[i] = times[i] / times[samples + i];
    comparison->left = bench_statistics_of(times, samples);
    comparison->right = bench_statistics_of(times + samples, samples);
    comparison->paired = bench_paired_of(ratio, samples);
}

static enum topo_status compare(struct comparing *c, struct bench_comparison *comparison, double *native,
                                struct topo_error *error)
{
    struct bench_request request = *c->run->request;
    if (comparison->calls == BENCH_ISOLATED)
        request.batch = 0;
    if (!check(c, comparison))
        return TOPO_OK;
    bench_buffers_clear(&c->buffers);
    for (int side = LEFT; side < SIDES; side++) {
        bench_caller_settle(&c->caller[side], request.batch, c->run->settled);
        meet(c->caller[side].comm == MPI_COMM_NULL);
    }
    const double first[SIDES] = {first_calls(c, LEFT), first_calls(c, RIGHT)};
    int samples = bench_plan_pair(&request, first, &c->batch);
    TOPO_SCOPED double *times = topo_calloc((size_t)samples, 3 * sizeof *times);
    if (any(!times))
        return topo_fail(error, TOPO_NOMEM, "no memory for %d times", 3 * samples);
    take_samples(c, samples, times);
    if (check(c, comparison) && c->run->place.rank == 0)
        keep_times(times, samples, times + 2 * samples, comparison);
    if (comparison->arrival == BENCH_TOGETHER) {
        *native = comparison->right.median;
        PMPI_Bcast(native, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    return TOPO_OK;
}

enum topo_status bench_guideline_measure(const struct bench_guideline_run *run, struct bench_comparison *comparison,
                                         double *native, struct topo_error *error)
{
    const struct bench_guideline *guideline = comparison->guideline;
    const struct bench_form *form[SIDES] = {&guideline->left, &guideline->right};
    struct comparing c = {.run = run, .comparison = comparison};
    const size_t count = comparison->bytes ? comparison->bytes / sizeof(double) : 1;
    bool opened = true;
    comparison->late = comparison->calls_late * *native;
    for (int side = LEFT; side < SIDES; side++) {
        const struct bench_calling calling = {.form = form[side],
                                              .outcome = bench_step_info[guideline->left.step[0].kind].outcome,
                                              /* Who compares auto with native has native on the right. */
                                              .library = comparison->library &&
                                                         (side == LEFT || guideline->kind != BENCH_ARRIVAL),
                                              .comm = form[side]->lower ? run->lower : run->comm,
                                              .count = count};
        opened = bench_caller_open(&calling, &c.buffers, &c.caller[side]) && opened;
    }
    opened = opened && bench_buffers_open(c.caller, count, &c.buffers);
    enum topo_status status =
        any(!opened) ? topo_fail(error, TOPO_NOMEM, "no memory for the buffers at %zu bytes, or counts beyond int",
                                 comparison->bytes)
                     : compare(&c, comparison, native, error);
    bench_buffers_close(&c.buffers);
    for (int side = LEFT; side < SIDES; side++)
        bench_caller_close(&c.caller[side]);
    return status;
}
