/* MPI_Allreduce: one call as the algorithms see it, and the table of algorithms. */
#ifndef TOPO_COLL_ALLREDUCE_ALLREDUCE_H
#define TOPO_COLL_ALLREDUCE_ALLREDUCE_H

#include <stdbool.h>

#include <mpi.h>

#include "coll/call/operations.h"
#include "coll/reduction/reduce_steps.h"
#include "coll/reduction/vector.h"
#include "comm/comm.h"
#include "comm/allreduce_shapes.h"
#include "catalog/algorithm.h"

struct topo_allreduce {
    struct topo_comm *comm; /* n = comm->ranks */
    const struct topo_channel *channel;
    struct topo_vector vector;
    bool commutative;
};

/* What topo_allreduce() gives (coll/call/operations.h): all ranks get the same bits, and the same call on the same
 * layout gives the same bits on every run. */

/* The algorithms that have no plan: each returns an MPI error code and may fail only as MPI calls
 * fail; restrictions were checked before. */
int topo_allreduce_cyclic(const struct topo_allreduce *call);
int topo_allreduce_cyclic_pipelined(const struct topo_allreduce *call);
int topo_allreduce_mixed_grid(const struct topo_allreduce *call);
int topo_allreduce_recursive_doubling(const struct topo_allreduce *call);
int topo_allreduce_recursive_doubling_renumbered(const struct topo_allreduce *call);
int topo_allreduce_recursive_halving(const struct topo_allreduce *call);
int topo_allreduce_lanes(const struct topo_allreduce *call);

/* What the algorithms share (allreduce_shape.c). The shape agreed on for this call's bytes. */
int topo_allreduce_shape_of(const struct topo_allreduce *call, enum topo_allreduce_shape_kind kind,
                            struct topo_allreduce_shape *shape);

/* Runs this rank's steps on a shape, in tree order: on a grid one list for each of
 * `parts` parts of the vector, on stripes one for each stripe of each part.
 * TOPOMPI_PACKET says whether and how packets are used. */
int topo_allreduce_by_shape(const struct topo_allreduce *call, const struct topo_allreduce_shape *shape, int parts);

/* Runs the steps of `number` in a group folded to a power of two, on a grid of it
 * whose dimensions are all 2 and of this kind, operands in the order of the numbers
 * where the operation does not commute. */
int topo_allreduce_run_folded(const struct topo_allreduce *call, const struct topo_numbers *rank_at, int number,
                              enum topo_dim_kind kind);

#endif
