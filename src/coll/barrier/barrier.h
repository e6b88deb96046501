/* MPI_Barrier, and the table of its algorithms. */
#ifndef TOPO_COLL_BARRIER_BARRIER_H
#define TOPO_COLL_BARRIER_BARRIER_H

#include <mpi.h>

#include "coll/call/operations.h"
#include "comm/comm.h"
#include "catalog/algorithm.h"

/* The algorithms: the channel is open. Each returns an MPI error code
 * and may fail only as MPI calls fail. */
#define BARRIER(name, ...) int topo_barrier_##name(struct topo_comm *comm);
#include "catalog/algorithms.def"

#endif
