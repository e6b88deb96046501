/* One call of any operation that the library takes, by ours or by the native function, so that a test can go through
 * all of them. */
#ifndef TOPO_TESTS_MPI_CALLS_H
#define TOPO_TESTS_MPI_CALLS_H

#include <mpi.h>

#include "catalog/algorithm.h"

/* Where blocks may have different lengths, some have a few elements more than `count`. */
struct test_call {
    enum topo_operation operation;
    int count; /* elements: of a block, of the vector of a reduction, of a rank's part of it */
    const void *send;
    void *receive;                        /* of MPI_Bcast the buffer */
    MPI_Datatype send_type, receive_type; /* of reductions the same, that of the elements sent */
    MPI_Op op;
    int root;
};

/* True for those that add up. */
bool test_call_reduces(enum topo_operation operation);
/* Whether each rank gets another sum, that of the ranks up to it, or before it. */
bool test_call_scans(enum topo_operation operation);

/* Elements of this rank's buffers. Of a call in place the receive buffer has at least as many as it would send. */
long test_call_sends(const struct test_call *call, MPI_Comm comm);
long test_call_receives(const struct test_call *call, MPI_Comm comm);

/* The call; algorithm NULL: the PMPI function. Up to 64 ranks. Returns its MPI error code. */
int test_call(const struct test_call *call, const struct topo_algorithm *algorithm, MPI_Comm comm);

#endif
