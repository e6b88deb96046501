/* Communicators from every constructor, and the shapes that break wrong ideas of ranks. */
#ifndef TOPO_TESTS_MPI_COMMS_H
#define TOPO_TESTS_MPI_COMMS_H

#include <mpi.h>

struct test_comm {
    const char *name;
    MPI_Comm comm; /* MPI_COMM_NULL on ranks outside */
};

enum { TEST_COMMS_MAX = 16 };

/* Collective over MPI_COMM_WORLD. Returns how many. Free with test_comms_free(). */
int test_comms_make(struct test_comm comms[TEST_COMMS_MAX]);
void test_comms_free(struct test_comm *comms, int count);

#endif
