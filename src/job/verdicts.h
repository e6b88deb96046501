/* The file of verdicts (select/verdicts.h) of this machine, MPI library and version of ours, in the folder of
 * TOPOMPI_CACHE, or the one that TOPOMPI_TUNING=learn:PATH names. Without TOPOMPI_GUARD there is none. */
#ifndef TOPO_JOB_VERDICTS_H
#define TOPO_JOB_VERDICTS_H

#include <stdbool.h>

/* Rank 0, once the options are known: what earlier jobs found, as text (free with topo_free()); NULL: nothing. What is
 * wrong with the file is said, and it counts for nothing. */
char *topo_job_verdicts_read(void);

/* Rank 0: whether there is such a file to write. */
bool topo_job_verdicts_wanted(void);

/* Rank 0, at the end: adds lines that this job found. */
void topo_job_verdicts_keep(const char *found);

/* Once no more is kept. */
void topo_job_verdicts_stop(void);

#endif
