/* MPI_Alltoallv: one call as the algorithms see it, and the table of algorithms. */
#ifndef TOPO_COLL_ALLTOALLV_ALLTOALLV_H
#define TOPO_COLL_ALLTOALLV_ALLTOALLV_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "coll/exchange/exchange.h"
#include "comm/comm.h"
#include "catalog/algorithm.h"

/* MPI_Alltoallv with the algorithm that the options or the selector name;
 * `forced` (may be NULL) overrides both. Errors are raised on `comm`. */
int topo_alltoallv(const struct topo_algorithm *forced, const void *send, const int *send_counts,
                   const int *send_places, MPI_Datatype send_type, void *receive, const int *receive_counts,
                   const int *receive_places, MPI_Datatype receive_type, MPI_Comm comm);

/* The algorithms: each returns an MPI error code and may fail only as MPI calls
 * fail; restrictions were checked before. */
#define ALLTOALLV(name, ...) int topo_alltoallv_##name(const struct topo_alltoallv *call);
#include "catalog/algorithms.def"

#endif
