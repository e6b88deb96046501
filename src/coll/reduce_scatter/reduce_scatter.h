/* MPI_Reduce_scatter and MPI_Reduce_scatter_block: one call as the algorithms see it, and the tables of algorithms. */
#ifndef TOPO_COLL_REDUCE_SCATTER_REDUCE_SCATTER_H
#define TOPO_COLL_REDUCE_SCATTER_REDUCE_SCATTER_H

#include <mpi.h>

#include "base/counts.h"
#include "coll/call/operations.h"
#include "coll/reduction/vector.h"
#include "comm/comm.h"
#include "catalog/algorithm.h"

struct topo_reduce_scatter {
    struct topo_comm *comm;
    struct topo_counts counts; /* elements that each rank gets; none: `count` each */
    MPI_Count count;
    size_t first, end;         /* this rank's elements in the vector, whose parts follow one another by rank */
    struct topo_vector vector; /* all ranks' elements; its channel is set. In place the
                                  result has room for all of them, and is to hold this rank's */
};

/* What topo_reduce_scatter() and topo_reduce_scatter_block() give (coll/call/operations.h): the same call on the same
 * layout gives the same bits on every run, those that an all-reduce by `leader` or `lanes` gives. */

/* The algorithm that has no plan, also for blocks of one length: returns an MPI error code and may fail only as MPI
 * calls fail; restrictions were checked before. There are elements to add. */
int topo_reduce_scatter_lanes(const struct topo_reduce_scatter *call);

/* What they do without shared memory: the MPI library's own. */
int topo_reduce_scatter_by_messages(const struct topo_reduce_scatter *call);

#endif
