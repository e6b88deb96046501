/* MPI_Allgather: its algorithms. */
#ifndef TOPO_COLL_ALLGATHER_ALLGATHER_H
#define TOPO_COLL_ALLGATHER_ALLGATHER_H

#include "catalog/algorithm.h"
#include "coll/gather/gather.h"
#include "coll/call/operations.h"

/* The algorithms: each returns an MPI error code and may fail only as MPI calls
 * fail; restrictions were checked before. */
#define ALLGATHER(name, ...) int topo_allgather_##name(const struct topo_allgather *call);
#include "catalog/algorithms.def"

#endif
