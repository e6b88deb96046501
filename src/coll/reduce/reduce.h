/* MPI_Reduce: one call as the algorithms see it, and the table of algorithms. */
#ifndef TOPO_COLL_REDUCE_REDUCE_H
#define TOPO_COLL_REDUCE_REDUCE_H

#include <mpi.h>

#include "coll/call/operations.h"
#include "coll/reduction/node_sum.h"
#include "coll/reduction/vector.h"
#include "comm/comm.h"
#include "catalog/algorithm.h"

struct topo_reduce {
    struct topo_comm *comm;
    int root;
    struct topo_vector vector; /* its channel is set; no result where this is not the root */
};

/* What topo_reduce() gives (coll/call/operations.h): the same call on the same layout gives the same bits on every run.
 */

/* What this rank gets: all of the sum on the root, nothing on others. */
struct topo_result_range topo_reduce_range(const struct topo_reduce *call);

/* By segments along a chain of nodes. Returns an MPI error code and may fail only as MPI calls fail; restrictions were
 * checked before. There are elements to add. */
int topo_reduce_chain(const struct topo_reduce *call);

/* What they do without shared memory: the MPI library's own reduction. */
int topo_reduce_by_messages(const struct topo_reduce *call);

#endif
