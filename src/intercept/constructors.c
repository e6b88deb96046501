/* The communicator constructors, at which mappings may be prepared
 * (docs/REFERENCES.md, Mapping 3). MPI_Comm_idup needs no wrapper: its communicator is
 * not usable when the call returns and is prepared by its first collective. */
#include <mpi.h>

#include "base/export.h"
#include "catalog/arguments.h"
#include "coll/prepare.h"
#include "coll/reorder.h"
#include "intercept/fortran.h"
#include "intercept/next.h"

/* Prepares what a successful constructor made. */
static void created(int code, const MPI_Comm *made)
{
    if (code == MPI_SUCCESS)
        topo_comm_created(*made);
}

/* The same of a topology, renumbered where that was asked for. Returns an MPI error code. */
static int topology(int code, MPI_Comm *made, bool asked)
{
    if (code == MPI_SUCCESS && topo_reorders())
        code = topo_reorder(made, asked);
    created(code, made);
    return code;
}

#define CONSTRUCTOR(Name, NAME, name, count, kinds) \
    TOPO_EXPORT int MPI_##Name(TOPO_PARAMETERS(count, kinds)) \
    { \
        TOPO_NEXT(int, (TOPO_PARAMETERS(count, kinds)), topo_own, "PMPI_" #Name) \
        int code = next(TOPO_ARGUMENTS(count, kinds)); \
        created(code, a##count); \
        return code; \
    }
#define TOPOLOGY(Name, NAME, name, reorder, count, kinds) \
    TOPO_EXPORT int MPI_##Name(TOPO_PARAMETERS(count, kinds)) \
    { \
        TOPO_NEXT(int, (TOPO_PARAMETERS(count, kinds)), topo_own, "PMPI_" #Name) \
        const bool asked = a##reorder != 0; \
        if (topo_reorders()) \
            a##reorder = 0; \
        int code = next(TOPO_ARGUMENTS(count, kinds)); \
        return topology(code, a##count, asked); \
    }
#include "catalog/constructors.def"

TOPO_FORTRAN_08(
static void fortran_topology(void *handle, bool asked, int *ierror)
{
    MPI_Comm made = TOPO_FORTRAN_COMM(handle);
    topo_fortran_code(ierror, topology(ierror ? *ierror : MPI_SUCCESS, &made, asked));
    *(MPI_Fint *)handle = TOPO_FORTRAN_NUMBER(made);
})

/* Fortran: only the new handle is looked at. A mpi_f08 caller may leave ierror out. */
#define FORTRAN_CONSTRUCTOR(symbol, count, kinds) \
    TOPO_FORTRAN_FORWARD(symbol, TOPO_FORTRAN_OWN(symbol), count, kinds, next(TOPO_ARGUMENTS(count, kinds), ierror); \
                         MPI_Comm made = TOPO_FORTRAN_COMM(a##count); created(ierror ? *ierror : MPI_SUCCESS, &made);)
/* Fortran's .false. is 0 everywhere. */
#define FORTRAN_TOPOLOGY(symbol, reorder, count, kinds) \
    TOPO_FORTRAN_FORWARD(symbol, TOPO_FORTRAN_OWN(symbol), count, kinds, const int asked = *(const int *)a##reorder; \
                         int no = 0; if (topo_reorders()) a##reorder = &no; \
                         next(TOPO_ARGUMENTS(count, kinds), ierror); \
                         fortran_topology(a##count, asked != 0, ierror);)
#define TOPOLOGY(Name, NAME, name, reorder, count, kinds) \
    TOPO_FORTRAN_77(FORTRAN_TOPOLOGY(mpi_##name##_, reorder, count, kinds)) \
    TOPO_FORTRAN_08(FORTRAN_TOPOLOGY(mpi_##name##_f08_, reorder, count, kinds))
#define CONSTRUCTOR(Name, NAME, name, count, kinds) \
    TOPO_FORTRAN_77(FORTRAN_CONSTRUCTOR(mpi_##name##_, count, kinds)) \
    TOPO_FORTRAN_08(FORTRAN_CONSTRUCTOR(mpi_##name##_f08_, count, kinds))
#include "catalog/constructors.def"
