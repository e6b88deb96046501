/* Steps other than cases. */
#ifndef TOPO_TESTS_FUZZ_STEPS_H
#define TOPO_TESTS_FUZZ_STEPS_H

#include "fuzz/job.h"

/* A wrong call on all members alike: class and error handler as natively, and the next call works. */
void fuzz_mistake(struct fuzz_worker *worker, struct fuzz_comm *comm);

/* A mistake that the root of an MPI_Reduce alone sees; other operations on the communicator go on. */
void fuzz_mistake_alone(struct fuzz_worker *worker, struct fuzz_comm *comm);

/* Sums that are rounded: the same bits in every call on the communicator, and of MPI_Allreduce on every rank. */
void fuzz_rounded(struct fuzz_worker *worker, struct fuzz_comm *comm);

/* Two communicators of one group, many of other groups between them. */
void fuzz_regroup(struct fuzz_worker *worker);

#endif
