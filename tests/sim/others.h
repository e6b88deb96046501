/* What ours is compared with: the selections and algorithms of other MPI libraries that SimGrid comes with, called by
 * their names, and algorithms of papers that it does not have. */
#ifndef TOPO_TESTS_SIM_OTHERS_H
#define TOPO_TESTS_SIM_OTHERS_H

#include <stddef.h>

#include <mpi.h>

enum sim_operation { SIM_ALLGATHER, SIM_ALLREDUCE, SIM_BCAST, SIM_REDUCE, SIM_ALLGATHERV, SIM_OPERATIONS };
extern const char *const sim_operations[SIM_OPERATIONS];

/* One call: MPI_INT, MPI_SUM, root 0. bcast moves what is in `result`; in an allgatherv every other block is half as
 * long as `count`, and one follows the other. */
struct sim_call {
    enum sim_operation operation;
    const int *own;
    int *result;
    int count; /* of each rank's ints */
    MPI_Comm comm;
    const int *counts, *starts; /* of the blocks of an allgatherv */
};

/* Names, NULL after the last one: what the operation is compared with. */
const char *const *other_names(enum sim_operation operation);

/* Runs `name`; an MPI error code. */
int other_run(const char *name, const struct sim_call *call);

#endif
