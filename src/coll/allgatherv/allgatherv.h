/* MPI_Allgatherv: a call is an allgather of blocks of any lengths (allgather/allgather.h). */
#ifndef TOPO_COLL_ALLGATHERV_ALLGATHERV_H
#define TOPO_COLL_ALLGATHERV_ALLGATHERV_H

#include "coll/gather/gather.h"
#include "coll/call/operations.h"

/* The algorithms: each returns an MPI error code and may fail only as MPI calls
 * fail; restrictions were checked before. There are bytes to send. */
#define ALLGATHERV(name, ...) int topo_allgatherv_##name(const struct topo_allgather *call);
#include "catalog/algorithms.def"

#endif
