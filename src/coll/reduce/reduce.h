/* MPI_Reduce: one call as the algorithms see it, and the table of algorithms. */
#ifndef TOPO_COLL_REDUCE_REDUCE_H
#define TOPO_COLL_REDUCE_REDUCE_H

#include <mpi.h>

#include "coll/reduction/vector.h"
#include "comm/comm.h"
#include "catalog/algorithm.h"

struct topo_reduce {
    struct topo_comm *comm;
    int root;
    struct topo_vector vector; /* its channel is set; no result where this is not the root */
};

/* MPI_Reduce with the algorithm that the options or the selector name; `forced`
 * (may be NULL) overrides both. The same call on the same layout gives the same bits
 * on every run. Errors are raised on `comm`. */
int topo_reduce(const struct topo_algorithm *forced, const void *send, void *receive, int count, MPI_Datatype type,
                MPI_Op op, int root, MPI_Comm comm);

/* The algorithms: each returns an MPI error code and may fail only as MPI calls
 * fail; restrictions were checked before. There are elements to add. */
#define REDUCE(name, ...) int topo_reduce_##name(const struct topo_reduce *call);
#include "catalog/algorithms.def"

/* What they do without shared memory: the MPI library's own reduction. */
int topo_reduce_by_messages(const struct topo_reduce *call);

#endif
