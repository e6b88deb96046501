/* A call of an operation that the library takes over, by the name that it intercepts or natively. */
#ifndef TOPO_TESTS_FUZZ_CALLS_H
#define TOPO_TESTS_FUZZ_CALLS_H

#include <stdbool.h>

#include <mpi.h>

/* A list of its own, not catalog/operations.def: its order is what seeds mean, and a new operation needs code here. */
#define FUZZ_EACH_OPERATION(X) \
    X(ALLGATHER, Allgather) \
    X(ALLGATHERV, Allgatherv) \
    X(ALLREDUCE, Allreduce) \
    X(ALLTOALL, Alltoall) \
    X(ALLTOALLV, Alltoallv) \
    X(BARRIER, Barrier) \
    X(BCAST, Bcast) \
    X(GATHER, Gather) \
    X(GATHERV, Gatherv) \
    X(SCATTER, Scatter) \
    X(SCATTERV, Scatterv) \
    X(REDUCE, Reduce) \
    X(REDUCE_SCATTER, Reduce_scatter) \
    X(REDUCE_SCATTER_BLOCK, Reduce_scatter_block) \
    X(SCAN, Scan) \
    X(EXSCAN, Exscan)

#define FUZZ_ENUMERATE(NAME, Name) FUZZ_##NAME,
enum fuzz_operation { FUZZ_EACH_OPERATION(FUZZ_ENUMERATE) FUZZ_OPERATIONS };

/* Arguments; an operation that has one buffer, count or type alone takes the receiving one. */
struct fuzz_call {
    enum fuzz_operation operation;
    const void *send;
    void *receive;
    int send_count, receive_count;
    const int *send_counts, *send_places, *receive_counts, *receive_places;
    MPI_Datatype send_type, receive_type;
    MPI_Op op;
    int root;
    MPI_Comm comm;
};

/* MPI_X, or MPI's own function with `native`; its code. */
int fuzz_call(const struct fuzz_call *call, bool native);
const char *fuzz_operation_name(enum fuzz_operation operation);
int fuzz_error_class(int code);

#endif
