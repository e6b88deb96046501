/* MPI_Alltoallv from C and from Fortran. */
#include "coll/alltoallv/alltoallv.h"

#include "base/export.h"
#include "job/job.h"
#include "job/native.h"
#include "intercept/fortran.h"
#include "intercept/guard.h"
#include "observe/trace.h"

static int alltoallv(const void *send, const int *send_counts, const int *send_places, MPI_Datatype send_type,
                     void *receive, const int *receive_counts, const int *receive_places, MPI_Datatype receive_type,
                     MPI_Comm comm)
{
    if (topo_depth || !(topo_job.active || topo_trace_on))
        return topo_native.alltoallv(send, send_counts, send_places, send_type, receive, receive_counts, receive_places,
                                     receive_type, comm);
    uint64_t entered = topo_trace_on ? topo_trace_enter() : 0;
    int code = topo_alltoallv(NULL, send, send_counts, send_places, send_type, receive, receive_counts, receive_places,
                              receive_type, comm);
    if (entered && code == MPI_SUCCESS) {
        const struct topo_trace_counts sent = {send_counts, send_type, NULL};
        const struct topo_trace_counts in_place = {receive_counts, receive_type, NULL};
        topo_trace_collective(entered, TOPO_TRACE_OP_ALLTOALLV, comm, 0, 0, send == MPI_IN_PLACE ? &in_place : &sent);
    }
    return code;
}

TOPO_EXPORT int MPI_Alltoallv(const void *send, const int *send_counts, const int *send_places, MPI_Datatype send_type,
                              void *receive, const int *receive_counts, const int *receive_places,
                              MPI_Datatype receive_type, MPI_Comm comm)
{
    return alltoallv(send, send_counts, send_places, send_type, receive, receive_counts, receive_places, receive_type,
                     comm);
}

/* Fortran's INTEGER is C's int wherever Open MPI hands arrays on without a copy; so do we. */
_Static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of counts are passed on as they are");

#define FORTRAN_ALLTOALLV(symbol) \
    TOPO_EXPORT void symbol(void *send, MPI_Fint *send_counts, MPI_Fint *send_places, MPI_Fint *send_type, \
                            void *receive, MPI_Fint *receive_counts, MPI_Fint *receive_places, MPI_Fint *receive_type, \
                            MPI_Fint *comm, MPI_Fint *ierror); \
    TOPO_EXPORT void symbol(void *send, MPI_Fint *send_counts, MPI_Fint *send_places, MPI_Fint *send_type, \
                            void *receive, MPI_Fint *receive_counts, MPI_Fint *receive_places, MPI_Fint *receive_type, \
                            MPI_Fint *comm, MPI_Fint *ierror) \
    { \
        int code = alltoallv(topo_fortran_buffer(send), send_counts, send_places, PMPI_Type_f2c(*send_type), \
                             topo_fortran_buffer(receive), receive_counts, receive_places, \
                             PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm)); \
        topo_fortran_code(ierror, code); \
    }
FORTRAN_ALLTOALLV(mpi_alltoallv_)
FORTRAN_ALLTOALLV(mpi_alltoallv_f08_)
