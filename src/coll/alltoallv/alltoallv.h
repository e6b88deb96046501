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

/* Every message by itself, long ones a few at once; short ones together, or, without shared memory, as `direct`. Return
 * MPI error codes and may fail only as MPI calls fail; restrictions were checked before. */
int topo_alltoallv_direct(const struct topo_alltoallv *call);
int topo_alltoallv_node_aware(const struct topo_alltoallv *call);

#endif
