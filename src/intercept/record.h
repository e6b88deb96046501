/* What a trace keeps of a call: the words of the column `record` in catalog/operations.def and catalog/traced.def. The
 * time before the call is in `entered`. */
#ifndef TOPO_INTERCEPT_RECORD_H
#define TOPO_INTERCEPT_RECORD_H

#include "observe/trace.h"

/* Words below evaluate arguments only where MPI says that they are significant: the rest may be anything, a null type
 * too, which is an error to ask about. So a collective's are looked at after topo_trace_takes() only. */

static inline bool topo_is_root(MPI_Comm comm, int root)
{
    int own;
    return PMPI_Comm_rank(comm, &own) == MPI_SUCCESS && own == root;
}

/* A collective: its op in traces, communicator, root, and the bytes that topompi-trace(5) says; VECTOR: one
 * with bytes to or from each rank, by the numbers of its arguments of counts and type; ROOT_VECTOR: which only the root
 * knows. */
#define COLLECTIVE(op, comm, root, bytes) RECORDED(op, comm, root, bytes, NULL)
#define VECTOR(op, comm, root, bytes, counts, type) \
    RECORDED(op, comm, root, bytes, &(struct topo_trace_counts){INTS(counts), TYPE(type), NULL})
#define ROOT_VECTOR(op, comm, root, bytes, counts, type) \
    RECORDED(op, comm, root, bytes, \
             topo_is_root(comm, root) ? &(struct topo_trace_counts){INTS(counts), TYPE(type), NULL} : NULL)
#define RECORDED(op, comm, root, ...) /* bytes and counts */ \
    (topo_trace_takes(comm) ? topo_trace_collective(entered, TOPO_TRACE_OP_##op, comm, root, __VA_ARGS__) : (void)0)

/* A message to a rank, and any other call that is none of a collective. */
#define SENT(comm, to, bytes) (topo_trace_sent(comm, to, bytes), topo_trace_p2p(entered))
#define CALL topo_trace_p2p(entered)

/* Bytes by the numbers of the arguments of count and type. */
#define BYTES(count, type) topo_trace_bytes(INT(count), TYPE(type))

/* Argument k as C has it; traced.c has other ones for Fortran. */
#define INT(k) (a##k)
#define INTS(k) TOPO_COUNTS(a##k)
#define TYPE(k) (a##k)
#define COMM(k) (a##k)
#define IN_PLACE(k) (a##k == MPI_IN_PLACE)

#endif
