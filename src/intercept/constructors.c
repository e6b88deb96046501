/* The communicator constructors, at which mappings may be prepared
 * (docs/REFERENCES.md, Mapping 3). MPI_Comm_idup needs no wrapper: its communicator is
 * not usable when the call returns and is prepared by its first collective. */
#include <mpi.h>

#include "base/export.h"
#include "catalog/arguments.h"
#include "coll/prepare.h"
#include "intercept/fortran.h"
#include "intercept/next.h"

/* Prepares what a successful constructor made. */
static void created(int code, const MPI_Comm *made)
{
    if (code == MPI_SUCCESS)
        topo_comm_created(*made);
}

#define CONSTRUCTOR(Name, NAME, name, count, kinds) \
    TOPO_EXPORT int MPI_##Name(TOPO_PARAMETERS(count, kinds)) \
    { \
        TOPO_NEXT(int, (TOPO_PARAMETERS(count, kinds)), topo_own, "PMPI_" #Name) \
        int code = next(TOPO_ARGUMENTS(count, kinds)); \
        created(code, a##count); \
        return code; \
    }
#include "catalog/constructors.def"

/* Fortran: only the new handle is looked at. A mpi_f08 caller may leave ierror out. */
#define FORTRAN_CONSTRUCTOR(symbol, count, kinds) \
    TOPO_FORTRAN_FORWARD(symbol, TOPO_FORTRAN_OWN(symbol), count, kinds, next(TOPO_ARGUMENTS(count, kinds), ierror); \
                         MPI_Comm made = TOPO_FORTRAN_COMM(a##count); created(ierror ? *ierror : MPI_SUCCESS, &made);)
#define CONSTRUCTOR(Name, NAME, name, count, kinds) \
    TOPO_FORTRAN_77(FORTRAN_CONSTRUCTOR(mpi_##name##_, count, kinds)) \
    TOPO_FORTRAN_08(FORTRAN_CONSTRUCTOR(mpi_##name##_f08_, count, kinds))
#include "catalog/constructors.def"
