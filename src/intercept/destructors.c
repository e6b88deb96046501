/* The ends of communicators: delete callbacks of the application run in there, and may call collectives on
 * communicators that end, too (comm/comm.h). */
#include <mpi.h>

#include "base/export.h"
#include "catalog/arguments.h"
#include "comm/comm.h"
#include "intercept/fortran.h"
#include "intercept/next.h"

/* An error of ours is raised on the application's communicator, which then stays. */
static int begin(MPI_Comm comm)
{
    int code = topo_comm_free_begin(comm);
    if (code != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(comm, code);
    return code;
}

#define DESTRUCTOR(Name, NAME, name) \
    TOPO_EXPORT int MPI_##Name(MPI_Comm *comm) \
    { \
        TOPO_NEXT(int, (MPI_Comm *), topo_own, "PMPI_" #Name) \
        MPI_Comm old = comm ? *comm : MPI_COMM_NULL; \
        int code = begin(old); \
        if (code == MPI_SUCCESS) { \
            code = next(comm); \
            topo_comm_free_end(old, code == MPI_SUCCESS); \
        } \
        return code; \
    }
#include "catalog/destructors.def"

/* A mpi_f08 caller may leave ierror out. */
#define FORTRAN_DESTRUCTOR(symbol) \
    TOPO_FORTRAN_FORWARD( \
        symbol, TOPO_FORTRAN_OWN(symbol), 1, (COMM), MPI_Comm old = TOPO_FORTRAN_COMM(a1); int code = begin(old); \
        if (code != MPI_SUCCESS) { \
            topo_fortran_code(ierror, code); \
            return; \
        } next(a1, ierror); \
        topo_comm_free_end(old, !ierror || *ierror == MPI_SUCCESS);)
#define DESTRUCTOR(Name, NAME, name) \
    TOPO_FORTRAN_77(FORTRAN_DESTRUCTOR(mpi_##name##_)) \
    TOPO_FORTRAN_08(FORTRAN_DESTRUCTOR(mpi_##name##_f08_))
#include "catalog/destructors.def"
