/* MPI_Alltoallv: one call as the algorithms see it, and the table of algorithms. */
#ifndef TOPO_COLL_ALLTOALLV_ALLTOALLV_H
#define TOPO_COLL_ALLTOALLV_ALLTOALLV_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "coll/exchange/exchange.h"
#include "coll/call/operations.h"
#include "comm/comm.h"
#include "catalog/algorithm.h"

/* The algorithms: each returns an MPI error code and may fail only as MPI calls
 * fail; restrictions were checked before. */
#define ALLTOALLV(name, ...) int topo_alltoallv_##name(const struct topo_alltoallv *call);
#include "catalog/algorithms.def"

#endif
