/* MPI_Allgatherv from C and from Fortran. */
#include "coll/allgatherv/allgatherv.h"

#include "base/export.h"
#include "job/job.h"
#include "job/native.h"
#include "intercept/fortran.h"
#include "intercept/guard.h"
#include "observe/trace.h"

static int allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                      const int *places, MPI_Datatype type, MPI_Comm comm)
{
    if (topo_depth || !(topo_job.active || topo_trace_on))
        return topo_native.allgatherv(send, send_count, send_type, receive, counts, places, type, comm);
    uint64_t entered = topo_trace_on ? topo_trace_enter() : 0;
    int code = topo_allgatherv(NULL, send, send_count, send_type, receive, counts, places, type, comm);
    if (entered && code == MPI_SUCCESS)
        topo_trace_collective(entered, TOPO_TRACE_OP_ALLGATHERV, comm, 0,
                              send == MPI_IN_PLACE ? 0 : topo_trace_bytes(send_count, send_type),
                              &(struct topo_trace_counts){counts, type, NULL});
    return code;
}

TOPO_EXPORT int MPI_Allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                               const int *counts, const int *places, MPI_Datatype type, MPI_Comm comm)
{
    return allgatherv(send, send_count, send_type, receive, counts, places, type, comm);
}

/* Fortran's INTEGER is C's int wherever Open MPI hands arrays on without a copy; so do we. */
_Static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of counts are passed on as they are");

#define FORTRAN_ALLGATHERV(symbol) \
    TOPO_EXPORT void symbol(void *send, MPI_Fint *send_count, MPI_Fint *send_type, void *receive, MPI_Fint *counts, \
                            MPI_Fint *places, MPI_Fint *type, MPI_Fint *comm, MPI_Fint *ierror); \
    TOPO_EXPORT void symbol(void *send, MPI_Fint *send_count, MPI_Fint *send_type, void *receive, MPI_Fint *counts, \
                            MPI_Fint *places, MPI_Fint *type, MPI_Fint *comm, MPI_Fint *ierror) \
    { \
        int code = \
            allgatherv(topo_fortran_buffer(send), *send_count, PMPI_Type_f2c(*send_type), \
                       topo_fortran_buffer(receive), counts, places, PMPI_Type_f2c(*type), PMPI_Comm_f2c(*comm)); \
        topo_fortran_code(ierror, code); \
    }
FORTRAN_ALLGATHERV(mpi_allgatherv_)
FORTRAN_ALLGATHERV(mpi_allgatherv_f08_)
