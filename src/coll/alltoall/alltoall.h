/* MPI_Alltoall: an MPI_Alltoallv whose blocks are equally long, which all ranks know. */
#ifndef TOPO_COLL_ALLTOALL_ALLTOALL_H
#define TOPO_COLL_ALLTOALL_ALLTOALL_H

#include <mpi.h>

#include "coll/alltoallv/alltoallv.h"
#include "coll/call/operations.h"

/* Short blocks together. Both sides have equal blocks (exchange/buffer_desc.h), which are not empty. Returns an MPI
 * error code and may fail only as MPI calls fail; restrictions were checked before. */
int topo_alltoall_node_aware(const struct topo_alltoallv *call);

#endif
