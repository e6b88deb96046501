/* MPI_Allreduce: one call as the algorithms see it, and the table of algorithms. */
#ifndef TOPO_COLL_ALLREDUCE_ALLREDUCE_H
#define TOPO_COLL_ALLREDUCE_ALLREDUCE_H

#include <stdbool.h>

#include <mpi.h>

#include "coll/call/operations.h"
#include "coll/reduction/vector.h"
#include "comm/comm.h"
#include "catalog/algorithm.h"

struct topo_allreduce {
    struct topo_comm *comm; /* n = comm->ranks */
    const struct topo_channel *channel;
    struct topo_vector vector;
    bool commutative;
};

/* What topo_allreduce() gives (coll/call/operations.h): all ranks get the same bits, and the same call on the same
 * layout gives the same bits on every run. */

/* Each returns an MPI error code and may fail only as MPI calls fail; restrictions were checked before. By the plan of
 * a form between all ranks (plan/sum_ranks.h), `leader` there being recursive doubling in tree order; by lanes. */
int topo_allreduce_by_ranks(const struct topo_allreduce *call, enum topo_algorithm_id id);
int topo_allreduce_lanes(const struct topo_allreduce *call);

#endif
