/* What is known of the links between this machine's nodes where no tuning file says it, and TOPOMPI_MEASURE: what
 * nobody knows a job finds out for later ones (docs/MEASURING.md). */
#ifndef TOPO_MEASURE_MEASURE_H
#define TOPO_MEASURE_MEASURE_H

#include "job/share.h"

/* For topo_job_start(): what rank 0 knows of the links. */
struct topo_news topo_measure_news(void);

/* After it, without any message: that is in topo_job.found (`links`), or topo_job.measures says that this job finds it out. */
void topo_measure_start(void);
void topo_measure_stop(void);

/* Where topo_job.measures, in a call of MPI_COMM_WORLD in which all ranks wait for each other: some ranks measure and
 * rank 0 keeps what they found. In this job nothing changes by it. */
void topo_measure_now(void);

#endif
