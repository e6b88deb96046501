/* Communicators from every constructor, and the shapes that break wrong ideas of ranks. */
#ifndef TOPO_TESTS_MPI_COMMS_H
#define TOPO_TESTS_MPI_COMMS_H

#include <stdbool.h>

#include <mpi.h>

#include "catalog/algorithm.h"

struct test_comm {
    const char *name;
    MPI_Comm comm; /* MPI_COMM_NULL on ranks outside */
    int ranks;
    bool inter;
};

/* Whether a call of `algorithm` on such a communicator is right. */
typedef bool test_on_comm(const struct topo_algorithm *algorithm, const struct test_comm *comm, const void *context);

/* Makes them and asks on each that this rank is in: checks of the harness. Collective over MPI_COMM_WORLD. */
void test_each_comm(const struct topo_algorithm *algorithm, test_on_comm *is_right, const void *context);

#endif
