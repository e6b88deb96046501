/* The job that topo-dump is part of, when a launcher started it. */
#ifndef TOPO_DUMP_JOB_H
#define TOPO_DUMP_JOB_H

#include <stdbool.h>

#include "base/text.h"
#include "machine/tree.h"

struct dump_job {
    bool launched; /* by mpirun, srun, ...: MPI is initialised */
    int rank, ranks;
    bool speaks; /* rank 0, or no job: the one that reads arguments and prints */
};

/* topo_about_mpi(); NULL without MPI. */
extern void (*const dump_job_about)(struct topo_text *out);

/* Initialises MPI when the environment shows a launcher, and only then. */
void dump_job_begin(struct dump_job *job);

/* Collective in a job: everyone takes over rank 0's *status and *flag. */
void dump_job_share(const struct dump_job *job, int *status, bool *flag);

/* Collective: the tree of the job as the library sees it, TOPOMPI_MACHINE
 * included. Free *tree with topo_tree_free(). The exit status, equal on all
 * ranks; rank 0 has said why when it is not CLI_OK. */
int dump_job_tree(const struct dump_job *job, struct topo_tree **tree);

/* Finalises MPI; the exit status, rank 0's in a job. */
int dump_job_end(const struct dump_job *job, int status);

#endif
