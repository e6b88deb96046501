/* MPI_Barrier from C and from Fortran. */
#include "coll/barrier/barrier.h"

#include "base/export.h"
#include "job/job.h"
#include "job/native.h"
#include "intercept/fortran.h"
#include "intercept/guard.h"
#include "observe/trace.h"

static int barrier(MPI_Comm comm)
{
    if (topo_depth || !(topo_job.active || topo_trace_on))
        return topo_native.barrier(comm);
    uint64_t entered = topo_trace_on ? topo_trace_enter() : 0;
    int code = topo_barrier(NULL, comm);
    if (entered && code == MPI_SUCCESS)
        topo_trace_collective(entered, TOPO_TRACE_OP_BARRIER, comm, 0, 0, NULL);
    return code;
}

TOPO_EXPORT int MPI_Barrier(MPI_Comm comm)
{
    return barrier(comm);
}

#define FORTRAN_BARRIER(symbol) \
    TOPO_EXPORT void symbol(MPI_Fint *comm, MPI_Fint *ierror); \
    TOPO_EXPORT void symbol(MPI_Fint *comm, MPI_Fint *ierror) \
    { \
        int code = barrier(PMPI_Comm_f2c(*comm)); \
        topo_fortran_code(ierror, code); \
    }
FORTRAN_BARRIER(mpi_barrier_)
FORTRAN_BARRIER(mpi_barrier_f08_)
