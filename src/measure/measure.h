/* TOPOMPI_MEASURE: what messages cost on this machine, found out by the job itself where nobody knows it yet, kept for
 * later jobs (docs/MEASURING.md).
 *
 * Ranks never disagree: in calls of one communicator of all ranks, in which all of them wait for each other anyway,
 * they count alike and ask rank 0 from time to time (select/measuring.h); rank 0's clock says whether a probe can be
 * afforded. All ranks then take part in it and know what it gave. */
#ifndef TOPO_MEASURE_MEASURE_H
#define TOPO_MEASURE_MEASURE_H

#include <stdbool.h>

#include <mpi.h>

#include "base/text.h"
#include "job/share.h"
#include "select/measuring.h"

/* What a communicator of all ranks of the job keeps; zero at first. */
struct topo_measure_count {
    struct topo_measuring_pace pace;
    bool owner;  /* measuring is this communicator's; equal on all ranks */
    double took; /* seconds of the last question on this rank, the wait for others included */
};

/* For topo_job_start(): what an earlier job kept. */
struct topo_news topo_measure_news(void);

/* After it, without any message: that becomes topo_job.found, and topo_job.kept says so; else topo_job.measures says
 * whether this job is to measure. */
void topo_measure_start(void);
void topo_measure_stop(void);

/* One call of `comm`, whose ranks are those of the job and all wait for each other in it; measures where the time has
 * come. True once all ranks know that measuring is over: nothing more is to be counted. */
bool topo_measure_call(struct topo_measure_count *count, MPI_Comm comm);

/* The communicator goes: another one may measure. */
void topo_measure_release(const struct topo_measure_count *count);

/* This rank knows what the job found, and so topo_job.found is set. */
bool topo_measure_found(void);

/* What measuring has cost, for TOPOMPI_STATS, appended to `out`; nothing where nothing was measured. Rank 0 knows. */
void topo_measure_tell(struct topo_text *out);

#endif
