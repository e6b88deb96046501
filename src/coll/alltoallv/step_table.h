/* The steps of a schedule as the ranks of a communicator carry them out.
 *
 * Rank 0 makes the schedule of a matrix (schedule/) and sends every rank its own
 * part; schedules are remembered by matrix. All ranks hold the same schedule, the
 * counts of a call may be others: what to do for a pair follows from the schedule
 * and the bytes of the pair, which both its ends know. So a message that is whole
 * in the schedule goes at its step whatever its length; one that is cut does when
 * its length is as in the matrix; all others follow after the last step. */
#ifndef TOPO_COLL_ALLTOALLV_STEP_TABLE_H
#define TOPO_COLL_ALLTOALLV_STEP_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "coll/alltoallv/alltoallv.h"
#include "plan/exchange.h"
#include "schedule/scheduler.h"

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
