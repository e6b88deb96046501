/* MPI_Allgather: its algorithms. */
#ifndef TOPO_COLL_ALLGATHER_ALLGATHER_H
#define TOPO_COLL_ALLGATHER_ALLGATHER_H

#include "catalog/algorithm.h"
#include "coll/gather/gather.h"

/* MPI_Allgather with the algorithm that the options or the selector name;
 * `forced` (may be NULL) overrides both. Errors are raised on `comm`. */
int topo_allgather(const struct topo_algorithm *forced, const void *send, int send_count, MPI_Datatype send_type,
                   void *receive, int receive_count, MPI_Datatype receive_type, MPI_Comm comm);

/* The algorithms: each returns an MPI error code and may fail only as MPI calls
 * fail; restrictions were checked before. */
#define ALLGATHER(name, ...) int topo_allgather_##name(const struct topo_allgather *call);
#include "catalog/algorithms.def"

#endif
