/* MPI_Reduce from C and from Fortran. */
#include "coll/reduce/reduce.h"

#include "base/export.h"
#include "job/job.h"
#include "job/native.h"
#include "intercept/fortran.h"
#include "intercept/guard.h"
#include "observe/trace.h"

static int reduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    if (topo_depth || !(topo_job.active || topo_trace_on))
        return topo_native.reduce(send, receive, count, type, op, root, comm);
    uint64_t entered = topo_trace_on ? topo_trace_enter() : 0;
    int code = topo_reduce(NULL, send, receive, count, type, op, root, comm);
    if (entered && code == MPI_SUCCESS)
        topo_trace_collective(entered, TOPO_TRACE_OP_REDUCE, comm, root, topo_trace_bytes(count, type), NULL);
    return code;
}

TOPO_EXPORT int MPI_Reduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, int root,
                           MPI_Comm comm)
{
    return reduce(send, receive, count, type, op, root, comm);
}

#define FORTRAN_REDUCE(symbol) \
    TOPO_EXPORT void symbol(void *send, void *receive, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *root, \
                            MPI_Fint *comm, MPI_Fint *ierror); \
    TOPO_EXPORT void symbol(void *send, void *receive, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *root, \
                            MPI_Fint *comm, MPI_Fint *ierror) \
    { \
        int code = reduce(topo_fortran_buffer(send), topo_fortran_buffer(receive), *count, PMPI_Type_f2c(*type), \
                          PMPI_Op_f2c(*op), *root, PMPI_Comm_f2c(*comm)); \
        topo_fortran_code(ierror, code); \
    }
FORTRAN_REDUCE(mpi_reduce_)
FORTRAN_REDUCE(mpi_reduce_f08_)
