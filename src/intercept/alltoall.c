/* MPI_Alltoall from C and from Fortran. */
#include "coll/alltoall/alltoall.h"

#include "base/export.h"
#include "job/job.h"
#include "job/native.h"
#include "intercept/fortran.h"
#include "intercept/guard.h"
#include "observe/trace.h"

static int alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                    MPI_Datatype receive_type, MPI_Comm comm)
{
    if (topo_depth || !(topo_job.active || topo_trace_on))
        return topo_native.alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm);
    uint64_t entered = topo_trace_on ? topo_trace_enter() : 0;
    int code = topo_alltoall(NULL, send, send_count, send_type, receive, receive_count, receive_type, comm);
    if (entered && code == MPI_SUCCESS)
        topo_trace_collective(entered, TOPO_TRACE_OP_ALLTOALL, comm, 0, topo_trace_bytes(receive_count, receive_type),
                              NULL);
    return code;
}

TOPO_EXPORT int MPI_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                             MPI_Datatype receive_type, MPI_Comm comm)
{
    return alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

TOPO_FORTRAN_BLOCKS(mpi_alltoall_, alltoall)
TOPO_FORTRAN_BLOCKS(mpi_alltoall_f08_, alltoall)
