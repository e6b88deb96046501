/* MPI_Neighbor_allgather: one call as the algorithms see it, and the table of algorithms. */
#ifndef TOPO_COLL_NEIGHBOR_ALLGATHER_NEIGHBOR_ALLGATHER_H
#define TOPO_COLL_NEIGHBOR_ALLGATHER_NEIGHBOR_ALLGATHER_H

#include "coll/base/datatype.h"
#include "coll/call/operations.h"
#include "comm/comm.h"

struct topo_neighbors {
    struct topo_comm *comm;
    MPI_Comm user; /* the program's, which has the neighbours */
    struct topo_data send, receive; /* the own block; the first one that comes */
};

/* The algorithms: each returns an MPI error code and may fail only as MPI calls
 * fail; restrictions were checked before. */
#define NEIGHBOR_ALLGATHER(name, ...) int topo_neighbor_allgather_##name(const struct topo_neighbors *call);
#include "catalog/algorithms.def"

#endif
