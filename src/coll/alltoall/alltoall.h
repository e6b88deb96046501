/* MPI_Alltoall: an MPI_Alltoallv whose blocks are equally long, which all ranks know. */
#ifndef TOPO_COLL_ALLTOALL_ALLTOALL_H
#define TOPO_COLL_ALLTOALL_ALLTOALL_H

#include <mpi.h>

#include "coll/alltoallv/alltoallv.h"

/* MPI_Alltoall with the algorithm that the options or the selector name; `forced`
 * (may be NULL) overrides both. Errors are raised on `comm`. */
int topo_alltoall(const struct topo_algorithm *forced, const void *send, int send_count, MPI_Datatype send_type,
                  void *receive, int receive_count, MPI_Datatype receive_type, MPI_Comm comm);

/* The algorithms: each returns an MPI error code and may fail only as MPI calls
 * fail; restrictions were checked before. Both sides have equal blocks (exchange/buffer_desc.h), which are not empty.
 */
#define ALLTOALL(name, ...) int topo_alltoall_##name(const struct topo_alltoallv *call);
#include "catalog/algorithms.def"

#endif
