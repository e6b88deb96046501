/* MPI_Barrier, and the table of its algorithms. */
#ifndef TOPO_COLL_BARRIER_BARRIER_H
#define TOPO_COLL_BARRIER_BARRIER_H

#include <mpi.h>

#include "comm/comm.h"
#include "catalog/algorithm.h"

/* MPI_Barrier with the algorithm that the options or the selector name; `forced`
 * (may be NULL) overrides both. Errors are raised on `comm`. */
int topo_barrier(const struct topo_algorithm *forced, MPI_Comm comm);

/* The algorithms: the channel is open. Each returns an MPI error code
 * and may fail only as MPI calls fail. */
#define BARRIER(name, ...) int topo_barrier_##name(struct topo_comm *comm);
#include "catalog/algorithms.def"

#endif
