/* MPI_Bcast from C and from Fortran. */
#include "coll/bcast/bcast.h"

#include "base/export.h"
#include "job/job.h"
#include "job/native.h"
#include "intercept/fortran.h"
#include "intercept/guard.h"
#include "observe/trace.h"

static int bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    if (topo_depth || !(topo_job.active || topo_trace_on))
        return topo_native.bcast(buffer, count, type, root, comm);
    uint64_t entered = topo_trace_on ? topo_trace_enter() : 0;
    int code = topo_bcast(NULL, buffer, count, type, root, comm);
    if (entered && code == MPI_SUCCESS)
        topo_trace_collective(entered, TOPO_TRACE_OP_BCAST, comm, root, topo_trace_bytes(count, type), NULL);
    return code;
}

TOPO_EXPORT int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm);
}

#define FORTRAN_BCAST(symbol) \
    TOPO_EXPORT void symbol(void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *root, MPI_Fint *comm, \
                            MPI_Fint *ierror); \
    TOPO_EXPORT void symbol(void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *root, MPI_Fint *comm, \
                            MPI_Fint *ierror) \
    { \
        int code = bcast(topo_fortran_buffer(buffer), *count, PMPI_Type_f2c(*type), *root, PMPI_Comm_f2c(*comm)); \
        topo_fortran_code(ierror, code); \
    }
FORTRAN_BCAST(mpi_bcast_)
FORTRAN_BCAST(mpi_bcast_f08_)
