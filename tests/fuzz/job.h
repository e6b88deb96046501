/* What the whole job knows: what the seed chose, the workers (threads), differences, the watchdog. */
#ifndef TOPO_TESTS_FUZZ_JOB_H
#define TOPO_TESTS_FUZZ_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "fuzz/random.h"

enum { FUZZ_RANKS_MOST = 16, FUZZ_WORKERS_MOST = 4, FUZZ_COMMS_MOST = 256 };

struct fuzz_job {
    uint64_t seed;
    int rank, ranks;
    int level;               /* of threads, as MPI_Init_thread takes it */
    int threads;             /* that work at once after the steps of the main thread; 0: none */
    int steps;               /* of the main thread */
    int live_most;           /* communicators of the main thread at a time */
    bool any_type;           /* mpirun forces algorithms of Open MPI that are right for every type, see settings.c */
    bool window;             /* a window of passive targets beside the collectives */
    bool window_pt2pt;       /* of Open MPI's component that needs the target's help */
    bool tcp;                /* messages travel through sockets */
    bool many_communicators; /* many communicators and groups on little node-shared memory */
    bool leaves;             /* communicators alive at MPI_Finalize */
    bool cuts;               /* vectors of user operations may be cut (TOPOMPI_USER_OPS) */
    MPI_Comm self, world;    /* duplicates for the fuzzer's own agreements */
};

extern struct fuzz_job fuzz_job;

/* Sets what follows from the seed, and what one MPI_Init and mpirun's options have to say from another one: several
 * seeds run in one job with the settings of one. Every process, mpirun's options included, asks this. */
void fuzz_job_choose(uint64_t seed, uint64_t settings);

/* Prints mpirun's options for the job, a word a line. */
void fuzz_job_print_settings(void);

/* A communicator, known to all ranks of the job, whether they are in it or not. */
struct fuzz_comm {
    int id;
    const char *made_by;
    int size, rank;             /* rank: -1 for ranks outside */
    int world[FUZZ_RANKS_MOST]; /* ranks of MPI_COMM_WORLD */
    MPI_Comm comm;
    int handler;      /* enum fuzz_handler */
    int dims[2];      /* of a Cartesian one, else 0 */
    uint64_t bits[4]; /* of sums whose bits depend on the order, by operation; 0: not yet called */
};

/* A thread. All ranks give it the same steps. */
struct fuzz_worker {
    int id;
    int step;
    bool makes;                     /* makes and frees communicators */
    struct fuzz_random plan, local; /* of the step: equal on all ranks; of this rank */
    char what[400];
    int comms, next_id;
    struct fuzz_comm *comm[FUZZ_COMMS_MOST];
};

/* Whether FUZZ_WITHOUT, words that seeds are to do without while one looks for the cause of a difference, has `word`:
 * jumps, mistakes (that all make), alone (those of one rank), idup (pending), threads, window, rounded (sums), bottom (in
 * reductions). What else a seed does stays as it is. */
bool fuzz_without(const char *word);

/* The streams of the next step. */
void fuzz_step_begin(struct fuzz_worker *worker, int step);

/* Sets what the worker is about to do, for differences and hangs. */
void fuzz_does(struct fuzz_worker *worker, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Something went on: the watchdog waits from now. */
void fuzz_progress(void);

/* A difference: counted, the first few are printed. */
void fuzz_differ(struct fuzz_worker *worker, const char *format, ...) __attribute__((format(printf, 2, 3)));
int fuzz_differences(void);

/* Ends the job when nothing goes on for FUZZ_PATIENCE seconds (30), longer on a busy machine; tells what every worker
 * does then, and at a deadly signal. */
void fuzz_watch_start(void);
void fuzz_watch(struct fuzz_worker *worker);
void fuzz_watch_main_alone(void);

#endif
