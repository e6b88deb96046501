/* An MPI program that knows nothing of TopoMPI: work of every kind that follows from a seed, each result compared with
 * that of the profiled function. Run by the script beside it.
 *
 *   job --settings SEED          prints mpirun's options for the seed, a word a line
 *   job FIRST [LAST [SETTINGS]]  the work of these seeds, one after the other, in a job with the settings of the seed
 *                                SETTINGS, or else of FIRST
 *
 * Differences are lines on standard error; exit status 1 with any, and no seed after that. Rank 0 prints "SEED N" as the
 * work of each begins.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/native.h"
#include "fuzz/cases.h"
#include "fuzz/communicators.h"
#include "fuzz/steps.h"
#include "fuzz/traffic.h"

static void do_case(struct fuzz_worker *worker, struct fuzz_comm *comm)
{
    struct fuzz_case c;
    struct fuzz_random after;
    struct fuzz_traffic traffic;
    fuzz_traffic_begin(&traffic, worker, comm);
    if (worker->id == 0 && fuzz_job.window && fuzz_chance(&worker->plan, 30))
        fuzz_window_work(worker, comm);
    after = worker->plan; /* ranks outside go on with the same stream */
    if (comm->rank >= 0) {
        fuzz_case_make(&c, worker, comm);
        fuzz_does(worker, "MPI_%s on communicator %d by %s of %d ranks, root %d: %s; %d times, %s",
                  fuzz_operation_name(c.ours.operation), comm->id, comm->made_by, comm->size, c.ours.root, c.what,
                  c.rows, traffic.what);
        fuzz_case_run(&c, worker);
    }
    worker->plan = after;
    fuzz_traffic_end(&traffic, worker);
}

static void do_step(struct fuzz_worker *worker)
{
    int kind = fuzz_below(&worker->plan, 100);
    int live_most = worker->id == 0 ? fuzz_job.live_most : 3;
    if (worker->makes && kind < 20 && worker->comms < live_most)
        fuzz_comm_construct(worker);
    else if (worker->makes && kind < 28)
        fuzz_comm_drop_any(worker);
    else if (worker->makes && kind < 31 && worker->comms + 20 < live_most)
        fuzz_comm_burst(worker, fuzz_between(&worker->plan, 5, live_most - worker->comms));
    else if (worker->makes && kind < 32)
        fuzz_mistake_alone(worker, fuzz_comm_any(worker, 2));
    else if (worker->makes && kind < 33 && worker->id == 0 && fuzz_chance(&worker->plan, 30))
        fuzz_regroup(worker);
    else if (kind < 40)
        fuzz_mistake(worker, fuzz_comm_any(worker, 1));
    else if (kind < 47)
        fuzz_rounded(worker, fuzz_comm_any(worker, 1));
    else
        do_case(worker, fuzz_comm_any(worker, 1));
}

static void *work(void *argument)
{
    struct fuzz_worker *worker = argument;
    for (int step = 0; step < fuzz_job.steps / 2; step++) {
        fuzz_step_begin(worker, step);
        do_step(worker);
    }
    return NULL;
}

/* Threads with communicators of their own. One of them may make more of them, never two: Open MPI hangs then. */
static void do_threads(struct fuzz_worker *main_worker)
{
    static struct fuzz_worker workers[FUZZ_WORKERS_MOST];
    memset(workers, 0, sizeof workers);
    pthread_t ids[FUZZ_WORKERS_MOST];
    int all[FUZZ_RANKS_MOST], makers = fuzz_chance(&main_worker->plan, 60);
    for (int i = 0; i < fuzz_job.ranks; i++)
        all[i] = i;
    for (int i = 1; i <= fuzz_job.threads; i++) {
        struct fuzz_worker *worker = &workers[i];
        MPI_Comm made;
        worker->id = i;
        worker->makes = makers && i == 1;
        fuzz_step_begin(worker, 0);
        fuzz_watch(worker);
        for (int k = 0; k < 2; k++) {
            MPI_Comm_dup(MPI_COMM_WORLD, &made);
            fuzz_comm_add(worker, "dup", all, fuzz_job.ranks, made);
        }
    }
    fuzz_does(main_worker, "waiting for the threads");
    for (int i = 1; i <= fuzz_job.threads; i++)
        if (pthread_create(&ids[i], NULL, work, &workers[i]))
            abort();
    for (int i = 1; i <= fuzz_job.threads; i++)
        pthread_join(ids[i], NULL);
    for (int i = 1; i <= fuzz_job.threads; i++)
        fuzz_comm_drop_all(&workers[i]);
}

static void start(struct fuzz_worker *worker)
{
    int all[FUZZ_RANKS_MOST], ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &fuzz_job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != fuzz_job.ranks) {
        fprintf(stderr, "seed %llu is for %d ranks\n", (unsigned long long)fuzz_job.seed, fuzz_job.ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (fuzz_job.rank == 0) {
        printf("SEED %llu\n", (unsigned long long)fuzz_job.seed);
        fflush(stdout);
    }
    fuzz_handlers_make();
    fuzz_bases_make();
    fuzz_reductions_make();
    NATIVE(Comm_dup)(MPI_COMM_WORLD, &fuzz_job.world);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (fuzz_job.window)
        fuzz_window_open();
    worker->makes = true;
    fuzz_step_begin(worker, 0);
    for (int i = 0; i < ranks; i++)
        all[i] = i;
    fuzz_comm_add(worker, "MPI_COMM_WORLD", all, ranks, MPI_COMM_WORLD);
}

static void finish(struct fuzz_worker *worker)
{
    fuzz_step_begin(worker, fuzz_job.steps + 2);
    if (!fuzz_job.leaves)
        fuzz_comm_drop_all(worker);
    if (fuzz_job.window)
        fuzz_window_close(worker);
    fuzz_does(worker, "the end");
    fuzz_reductions_free();
    fuzz_bases_free();
    NATIVE(Comm_free)(&fuzz_job.world);
    fuzz_handlers_free();
}

/* The work of a seed, from MPI_COMM_WORLD on. What communicators it leaves stay alive beside those of the next. */
static void do_seed(struct fuzz_worker *worker)
{
    memset(worker, 0, sizeof *worker);
    fuzz_watch_main_alone();
    start(worker);
    if (fuzz_job.many_communicators) {
        fuzz_comm_burst(worker, fuzz_between(&worker->plan, 10, 30));
        fuzz_regroup(worker);
        fuzz_regroup(worker);
    }
    for (int step = 1; step <= fuzz_job.steps; step++) {
        fuzz_step_begin(worker, step);
        do_step(worker);
    }
    fuzz_step_begin(worker, fuzz_job.steps + 1);
    if (fuzz_job.threads && !fuzz_without("threads"))
        do_threads(worker);
    finish(worker);
}

/* Whether any rank saw a difference. */
static bool differs(void)
{
    int here = fuzz_differences(), anywhere;
    NATIVE(Allreduce)(&here, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return anywhere > 0;
}

int main(int argc, char **argv)
{
    static struct fuzz_worker worker;
    uint64_t number[3] = {0};
    int provided;
    bool settings = argc == 3 && strcmp(argv[1], "--settings") == 0;
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: job --settings SEED, or job FIRST [LAST [SETTINGS]]\n");
        return 2;
    }
    for (int i = 0; i < 3; i++)
        number[i] = settings ? strtoull(argv[2], NULL, 10) : i + 1 < argc ? strtoull(argv[i + 1], NULL, 10) : number[0];
    fuzz_job_choose(number[0], number[2]);
    if (settings) {
        fuzz_job_print_settings();
        return 0;
    }
    fuzz_does(&worker, "MPI_Init_thread");
    fuzz_watch(&worker);
    fuzz_watch_start();
    MPI_Init_thread(&argc, &argv, fuzz_job.level, &provided);
    for (uint64_t seed = number[0]; seed <= number[1] && (seed == number[0] || !differs()); seed++) {
        fuzz_job_choose(seed, number[2]);
        if (provided < fuzz_job.level)
            fuzz_job.threads = 0;
        do_seed(&worker);
    }
    fuzz_does(&worker, "MPI_Finalize");
    MPI_Finalize();
    return fuzz_differences() > 0;
}
