/* MPI_Alltoallv: its forms. */
#ifndef TOPO_COLL_ALLTOALLV_ALLTOALLV_H
#define TOPO_COLL_ALLTOALLV_ALLTOALLV_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "coll/exchange/exchange.h"
#include "coll/call/operations.h"
#include "comm/comm.h"
#include "plan/plan.h"
#include "schedule/scheduler.h"

/* Every message by itself, long ones a few at once; short ones together, or, without shared memory, as `direct`. Return
 * MPI error codes and may fail only as MPI calls fail; restrictions were checked before. */
int topo_alltoallv_direct(const struct topo_alltoallv *call);
int topo_alltoallv_node_aware(const struct topo_alltoallv *call);

/* The steps of a schedule as the ranks of a communicator carry them out.
 *
 * Rank 0 makes the schedule of a matrix (schedule/) and sends every rank its own
 * part; schedules are remembered by matrix. All ranks hold the same schedule, the
 * counts of a call may be others: what to do for a pair follows from the schedule
 * and the bytes of the pair, which both its ends know. So a message that is whole
 * in the schedule goes at its step whatever its length; one that is cut does when
 * its length is as in the matrix; all others follow after the last step. */
struct topo_step_table {
    struct topo_plan plan;             /* this rank's steps, separated as TOPOMPI_ALLTOALLV_SYNC says */
    struct topo_scheduler_result made; /* by what; equal on all ranks but for the counts in made.css */
};

/* Collective over the channel, for a call of all ranks: the steps to
 * follow, made when there is none yet, or anew when it is time to ask and some
 * rank's counts are not those it was made for. *table is NULL, on all ranks alike,
 * when memory for it is out somewhere. Returns an MPI error code. */
int topo_step_table_get(const struct topo_alltoallv *call, enum topo_scheduler scheduler,
                        const struct topo_step_table **table);

#endif
