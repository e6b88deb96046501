/* A receive of anything, posted before a collective, must not catch a message of the library's. */
#ifndef TOPO_TESTS_MPI_PENDING_H
#define TOPO_TESTS_MPI_PENDING_H

#include <stdbool.h>

#include <mpi.h>

struct test_pending {
    MPI_Comm comm;
    int rank, ranks, got;
    MPI_Request request;
};

/* Posts it. */
void test_pending_begin(struct test_pending *pending, MPI_Comm comm);

/* Collective over the communicator, after the collective: each rank sends one number to the next, which must be what
 * was caught. A check of the harness, to which `good` adds how the collective went; `name` is its algorithm. */
void test_pending_end(struct test_pending *pending, bool good, const char *name);

#endif
