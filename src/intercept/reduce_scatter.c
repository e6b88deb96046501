/* MPI_Reduce_scatter and MPI_Reduce_scatter_block from C and from Fortran. */
#include "coll/reduce_scatter/reduce_scatter.h"

#include "base/export.h"
#include "job/job.h"
#include "job/native.h"
#include "intercept/fortran.h"
#include "intercept/guard.h"
#include "observe/trace.h"

static int reduce_scatter(const void *send, void *receive, const int *counts, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm)
{
    if (topo_depth || !(topo_job.active || topo_trace_on))
        return topo_native.reduce_scatter(send, receive, counts, type, op, comm);
    uint64_t entered = topo_trace_on ? topo_trace_enter() : 0;
    int code = topo_reduce_scatter(NULL, send, receive, counts, type, op, comm);
    if (entered && code == MPI_SUCCESS)
        topo_trace_collective(entered, TOPO_TRACE_OP_REDUCE_SCATTER, comm, 0, 0,
                              &(struct topo_trace_counts){counts, type, NULL});
    return code;
}

static int reduce_scatter_block(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    if (topo_depth || !(topo_job.active || topo_trace_on))
        return topo_native.reduce_scatter_block(send, receive, count, type, op, comm);
    uint64_t entered = topo_trace_on ? topo_trace_enter() : 0;
    int code = topo_reduce_scatter_block(NULL, send, receive, count, type, op, comm);
    if (entered && code == MPI_SUCCESS)
        topo_trace_collective(entered, TOPO_TRACE_OP_REDUCE_SCATTER_BLOCK, comm, 0, topo_trace_bytes(count, type),
                              NULL);
    return code;
}

TOPO_EXPORT int MPI_Reduce_scatter(const void *send, void *receive, const int *counts, MPI_Datatype type, MPI_Op op,
                                   MPI_Comm comm)
{
    return reduce_scatter(send, receive, counts, type, op, comm);
}

TOPO_EXPORT int MPI_Reduce_scatter_block(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                                         MPI_Comm comm)
{
    return reduce_scatter_block(send, receive, count, type, op, comm);
}

/* Fortran's INTEGER is C's int wherever Open MPI hands arrays on without a copy; so do we. */
_Static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of counts are passed on as they are");

/* `counts` is the address of an array, or of a single count: `passed` is what C gets of it. */
#define FORTRAN_REDUCE_SCATTER(symbol, operation, passed) \
    TOPO_EXPORT void symbol(void *send, void *receive, MPI_Fint *counts, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm, \
                            MPI_Fint *ierror); \
    TOPO_EXPORT void symbol(void *send, void *receive, MPI_Fint *counts, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm, \
                            MPI_Fint *ierror) \
    { \
        int code = operation(topo_fortran_buffer(send), topo_fortran_buffer(receive), passed, PMPI_Type_f2c(*type), \
                             PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm)); \
        topo_fortran_code(ierror, code); \
    }
FORTRAN_REDUCE_SCATTER(mpi_reduce_scatter_, reduce_scatter, counts)
FORTRAN_REDUCE_SCATTER(mpi_reduce_scatter_f08_, reduce_scatter, counts)
FORTRAN_REDUCE_SCATTER(mpi_reduce_scatter_block_, reduce_scatter_block, *counts)
FORTRAN_REDUCE_SCATTER(mpi_reduce_scatter_block_f08_, reduce_scatter_block, *counts)
