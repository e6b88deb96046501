/* MPI_Allgather from C and from Fortran. */
#include "coll/allgather/allgather.h"

#include "base/export.h"
#include "job/job.h"
#include "job/native.h"
#include "intercept/fortran.h"
#include "intercept/guard.h"
#include "observe/trace.h"

static int allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                     MPI_Datatype receive_type, MPI_Comm comm)
{
    if (topo_depth || !(topo_job.active || topo_trace_on))
        return topo_native.allgather(send, send_count, send_type, receive, receive_count, receive_type, comm);
    uint64_t entered = topo_trace_on ? topo_trace_enter() : 0;
    int code = topo_allgather(NULL, send, send_count, send_type, receive, receive_count, receive_type, comm);
    if (entered && code == MPI_SUCCESS)
        topo_trace_collective(entered, TOPO_TRACE_OP_ALLGATHER, comm, 0, topo_trace_bytes(receive_count, receive_type),
                              NULL);
    return code;
}

TOPO_EXPORT int MPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                              int receive_count, MPI_Datatype receive_type, MPI_Comm comm)
{
    return allgather(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

TOPO_FORTRAN_BLOCKS(mpi_allgather_, allgather)
TOPO_FORTRAN_BLOCKS(mpi_allgather_f08_, allgather)
