/* MPI_Bcast: one call as the algorithms see it, and the table of algorithms. */
#ifndef TOPO_COLL_BCAST_BCAST_H
#define TOPO_COLL_BCAST_BCAST_H

#include <mpi.h>

#include "coll/base/datatype.h"
#include "comm/comm.h"
#include "catalog/algorithm.h"

struct topo_bcast {
    struct topo_comm *comm;
    const struct topo_channel *channel;
    int root;
    struct topo_data data; /* on the root what is sent; data.bytes is equal on all ranks, types need not be */
};

/* MPI_Bcast with the algorithm that the options or the selector name; `forced`
 * (may be NULL) overrides both. Errors are raised on `comm`. */
int topo_bcast(const struct topo_algorithm *forced, void *buffer, int count, MPI_Datatype type, int root,
               MPI_Comm comm);

/* The algorithms: each returns an MPI error code and may fail only as MPI calls
 * fail. There are bytes to send. */
#define BCAST(name, ...) int topo_bcast_##name(const struct topo_bcast *call);
#include "catalog/algorithms.def"

#endif
