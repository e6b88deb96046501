/* MPI_Allreduce from C and from Fortran. */
#include "coll/allreduce/allreduce.h"

#include "base/export.h"
#include "job/job.h"
#include "job/native.h"
#include "intercept/fortran.h"
#include "intercept/guard.h"
#include "observe/trace.h"

static int allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    if (topo_depth || !(topo_job.active || topo_trace_on))
        return topo_native.allreduce(send, receive, count, type, op, comm);
    uint64_t entered = topo_trace_on ? topo_trace_enter() : 0;
    int code = topo_allreduce(NULL, send, receive, count, type, op, comm);
    if (entered && code == MPI_SUCCESS)
        topo_trace_collective(entered, TOPO_TRACE_OP_ALLREDUCE, comm, 0, topo_trace_bytes(count, type), NULL);
    return code;
}

TOPO_EXPORT int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return allreduce(send, receive, count, type, op, comm);
}

#define FORTRAN_ALLREDUCE(symbol) \
    TOPO_EXPORT void symbol(void *send, void *receive, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm, \
                            MPI_Fint *ierror); \
    TOPO_EXPORT void symbol(void *send, void *receive, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm, \
                            MPI_Fint *ierror) \
    { \
        int code = allreduce(topo_fortran_buffer(send), topo_fortran_buffer(receive), *count, PMPI_Type_f2c(*type), \
                             PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm)); \
        topo_fortran_code(ierror, code); \
    }
FORTRAN_ALLREDUCE(mpi_allreduce_)
FORTRAN_ALLREDUCE(mpi_allreduce_f08_)
