/* MPI_Allgatherv: a call is an allgather of blocks of any lengths (allgather/allgather.h). */
#ifndef TOPO_COLL_ALLGATHERV_ALLGATHERV_H
#define TOPO_COLL_ALLGATHERV_ALLGATHERV_H

#include "coll/gather/gather.h"

/* MPI_Allgatherv with the algorithm that the options or the selector name;
 * `forced` (may be NULL) overrides both. Errors are raised on `comm`. */
int topo_allgatherv(const struct topo_algorithm *forced, const void *send, int send_count, MPI_Datatype send_type,
                    void *receive, const int *counts, const int *places, MPI_Datatype receive_type, MPI_Comm comm);

/* The algorithms: each returns an MPI error code and may fail only as MPI calls
 * fail; restrictions were checked before. There are bytes to send. */
#define ALLGATHERV(name, ...) int topo_allgatherv_##name(const struct topo_allgather *call);
#include "catalog/algorithms.def"

#endif
