/* TOPOMPI_STATS: what was called, what ran, how long; a report of all ranks at finalize (report/report.h). */
#ifndef TOPO_OBSERVE_STATS_H
#define TOPO_OBSERVE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "catalog/algorithm.h"
#include "catalog/function.h"

struct topo_report;

/* What is kept with a communicator; all zero at first, topo_stats_forget() frees it. */
struct topo_stats_comm {
    int named;        /* its number in the sheet, and 1; 0: not asked for yet */
    int ring;         /* observe/waiting.c: that of its ranks, and 1; 0: not asked for yet; below: none */
    int members;      /* its ranks on this node */
    int *slot;        /* [members] of each in a ring; then [members] its rank in the communicator */
    uint64_t arrived; /* when this rank came to the call under way, in ns */
    uint32_t number;  /* of that call */
};

/* A call that ended. Seconds below 0: not known. */
struct topo_stats_call {
    const struct topo_algorithm *algorithm; /* that ran */
    size_t bytes;
    double start, seconds;         /* by MPI_Wtime() */
    double modelled, native, ours; /* the native one by the model; as measured in calls of this communicator and
                                    * size, which is compared with `ours` (coll/call/guard.h) */
    double waited, late;           /* observe/waiting.h */
    bool open;
};

/* Where libtopompi.so counts calls by their functions; NULL where there is none. */
extern struct topo_functions *_Atomic *topo_stats_functions;

/* True when calls are to be timed and counted. */
bool topo_stats_wanted(void);

/* True when the report shows the model's times of native calls: the model was measured on this machine. */
bool topo_stats_model(void);

/* As the library starts: the time from which shares of the run are taken. With TOPOMPI_STATS_KEEP what is counted lies
 * in a file from here on, one a node. */
void topo_stats_start(void);

/* Counts a call on `comm`, of so many ranks. */
void topo_stats_add(MPI_Comm comm, int ranks, struct topo_stats_comm *own, const struct topo_stats_call *call);

void topo_stats_forget(struct topo_stats_comm *own);

/* Collective over MPI_COMM_WORLD, once, at finalize: rank 0 reports what all ranks did, in log2 n steps; lines on
 * standard error, or JSON there or in a file of its own. Nothing when nothing is wanted. */
void topo_stats_print(void);

/* Collective: what the ranks of the job counted, together, to rank 0; the others' reports become anything. */
void topo_stats_gather(struct topo_report *report);

#endif
