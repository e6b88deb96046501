#include "mpi/calls.h"

#include <stdio.h>

#include "coll/call/operations.h"

enum { RANKS = 1024 };

/* Elements from a rank to another where they differ. */
static int uneven(int count, int from, int to)
{
    return count + (from * 3 + to) % 4;
}

/* Blocks one after the other, the last rank's first. Returns the elements of all. */
static int place(const int *counts, int ranks, int *places)
{
    int at = 0;
    for (int rank = ranks - 1; rank >= 0; rank--) {
        places[rank] = at;
        at += counts[rank];
    }
    return at;
}

/* What the ranks get of one another: [to] of what `rank` sends, [from] of what it receives. */
struct lengths {
    int sent[RANKS], sent_at[RANKS], received[RANKS], received_at[RANKS];
    int sends, receives;
};

static struct lengths lengths_of(const struct test_call *call, MPI_Comm comm)
{
    struct lengths lengths;
    int rank, ranks;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    if (ranks > RANKS) {
        fprintf(stderr, "at most %d ranks can be tested, not %d\n", RANKS, ranks);
        PMPI_Abort(comm, 1);
    }
    for (int other = 0; other < ranks; other++) {
        bool to_all = call->operation != TOPO_OPERATION_alltoallv; /* the same for all */
        lengths.sent[other] = uneven(call->count, rank, to_all ? 0 : other);
        lengths.received[other] = uneven(call->count, other, to_all ? 0 : rank);
    }
    lengths.sends = place(lengths.sent, ranks, lengths.sent_at);
    lengths.receives = place(lengths.received, ranks, lengths.received_at);
    return lengths;
}

bool test_call_scans(enum topo_operation operation)
{
    return operation == TOPO_OPERATION_scan || operation == TOPO_OPERATION_exscan;
}

bool test_call_reduces(enum topo_operation operation)
{
    return operation == TOPO_OPERATION_allreduce || operation == TOPO_OPERATION_reduce ||
           operation == TOPO_OPERATION_reduce_scatter || operation == TOPO_OPERATION_reduce_scatter_block ||
           test_call_scans(operation);
}

long test_call_sends(const struct test_call *call, MPI_Comm comm)
{
    int rank, ranks;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    switch (call->operation) {
    case TOPO_OPERATION_barrier:
    case TOPO_OPERATION_bcast: return 0;
    case TOPO_OPERATION_allgatherv: return uneven(call->count, rank, 0);
    case TOPO_OPERATION_alltoallv: return lengths_of(call, comm).sends;
    case TOPO_OPERATION_reduce_scatter: return lengths_of(call, comm).receives;
    case TOPO_OPERATION_scatter: return rank == call->root ? (long)call->count * ranks : 0;
    case TOPO_OPERATION_gatherv: return uneven(call->count, rank, 0);
    case TOPO_OPERATION_scatterv: return rank == call->root ? lengths_of(call, comm).receives : 0;
    case TOPO_OPERATION_alltoall:
    case TOPO_OPERATION_reduce_scatter_block: return (long)call->count * ranks;
    default: return call->count;
    }
}

long test_call_receives(const struct test_call *call, MPI_Comm comm)
{
    int rank, ranks;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    switch (call->operation) {
    case TOPO_OPERATION_barrier: return 0;
    case TOPO_OPERATION_allgather:
    case TOPO_OPERATION_alltoall: return (long)call->count * ranks;
    case TOPO_OPERATION_allgatherv:
    case TOPO_OPERATION_alltoallv: return lengths_of(call, comm).receives;
    case TOPO_OPERATION_gather: return rank == call->root ? (long)call->count * ranks : 0;
    case TOPO_OPERATION_gatherv: return rank == call->root ? lengths_of(call, comm).receives : 0;
    case TOPO_OPERATION_reduce: return rank == call->root ? call->count : 0;
    case TOPO_OPERATION_scatterv:
    case TOPO_OPERATION_reduce_scatter: return uneven(call->count, rank, 0);
    default: return call->count;
    }
}

/* Ours or the native function of one name with the same arguments. */
#define EITHER(name, native, ...) (algorithm ? topo_##name(algorithm, __VA_ARGS__) : PMPI_##native(__VA_ARGS__))

int test_call(const struct test_call *c, const struct topo_algorithm *algorithm, MPI_Comm comm)
{
    const struct lengths l = lengths_of(c, comm);
    int rank;
    PMPI_Comm_rank(comm, &rank);
    switch (c->operation) {
    case TOPO_OPERATION_barrier: return algorithm ? topo_barrier(algorithm, comm) : PMPI_Barrier(comm);
    case TOPO_OPERATION_bcast: return EITHER(bcast, Bcast, c->receive, c->count, c->receive_type, c->root, comm);
    case TOPO_OPERATION_allgather:
        return EITHER(allgather, Allgather, c->send, c->count, c->send_type, c->receive, c->count, c->receive_type,
                      comm);
    case TOPO_OPERATION_allgatherv:
        return EITHER(allgatherv, Allgatherv, c->send, l.sent[rank], c->send_type, c->receive, l.received,
                      l.received_at, c->receive_type, comm);
    case TOPO_OPERATION_alltoall:
        return EITHER(alltoall, Alltoall, c->send, c->count, c->send_type, c->receive, c->count, c->receive_type, comm);
    case TOPO_OPERATION_alltoallv:
        return EITHER(alltoallv, Alltoallv, c->send, l.sent, l.sent_at, c->send_type, c->receive, l.received,
                      l.received_at, c->receive_type, comm);
    case TOPO_OPERATION_gather:
        return EITHER(gather, Gather, c->send, c->count, c->send_type, c->receive, c->count, c->receive_type, c->root,
                      comm);
    case TOPO_OPERATION_gatherv:
        return EITHER(gatherv, Gatherv, c->send, l.sent[rank], c->send_type, c->receive, l.received, l.received_at,
                      c->receive_type, c->root, comm);
    case TOPO_OPERATION_scatterv:
        return EITHER(scatterv, Scatterv, c->send, l.received, l.received_at, c->send_type, c->receive, l.sent[rank],
                      c->receive_type, c->root, comm);
    case TOPO_OPERATION_scatter:
        return EITHER(scatter, Scatter, c->send, c->count, c->send_type, c->receive, c->count, c->receive_type, c->root,
                      comm);
    case TOPO_OPERATION_allreduce:
        return EITHER(allreduce, Allreduce, c->send, c->receive, c->count, c->send_type, c->op, comm);
    case TOPO_OPERATION_reduce:
        return EITHER(reduce, Reduce, c->send, c->receive, c->count, c->send_type, c->op, c->root, comm);
    case TOPO_OPERATION_scan: return EITHER(scan, Scan, c->send, c->receive, c->count, c->send_type, c->op, comm);
    case TOPO_OPERATION_exscan: return EITHER(exscan, Exscan, c->send, c->receive, c->count, c->send_type, c->op, comm);
    case TOPO_OPERATION_reduce_scatter:
        return EITHER(reduce_scatter, Reduce_scatter, c->send, c->receive, l.received, c->send_type, c->op, comm);
    case TOPO_OPERATION_reduce_scatter_block:
        return EITHER(reduce_scatter_block, Reduce_scatter_block, c->send, c->receive, c->count, c->send_type, c->op,
                      comm);
    default: return MPI_ERR_OTHER;
    }
}
