/* The communicator constructors, at which mappings may be prepared
 * (docs/REFERENCES.md, Mapping 3). MPI_Comm_idup and MPI_Comm_free need no wrapper of
 * their own: the first communicator is not usable when the call returns and is
 * prepared by its first collective, the second ends in our attribute's delete
 * callback, as does every other way to free a communicator. */
#include <mpi.h>

#include "base/export.h"
#include "coll/prepare.h"
#include "intercept/fortran.h"
#include "intercept/guard.h"

/* Prepares what a successful constructor made. */
static void created(int code, const MPI_Comm *made)
{
    if (code == MPI_SUCCESS && topo_depth == 0)
        topo_comm_created(*made);
}

static void created_in_fortran(const MPI_Fint *code, const MPI_Fint *made)
{
    MPI_Comm comm = PMPI_Comm_f2c(*made);
    created(code ? *code : MPI_SUCCESS, &comm);
}

#define CONSTRUCTOR(Name, NAME, name, count, parameters, arguments) \
    TOPO_EXPORT int MPI_##Name parameters \
    { \
        static int(*_Atomic next) parameters; \
        if (!next) \
            next = (int(*) parameters)topo_next("MPI_" #Name); \
        int code = next arguments; \
        created(code, made); \
        return code; \
    }
#include "catalog/constructors.def"

/* Fortran: the arguments go on as they came, sentinels and logicals included;
 * only the new handle is looked at. A mpi_f08 caller may leave ierror out. */
#define F2 void *a1, MPI_Fint *made
#define F3 void *a1, void *a2, MPI_Fint *made
#define F4 void *a1, void *a2, void *a3, MPI_Fint *made
#define F5 void *a1, void *a2, void *a3, void *a4, MPI_Fint *made
#define F6 void *a1, void *a2, void *a3, void *a4, void *a5, MPI_Fint *made
#define F9 void *a1, void *a2, void *a3, void *a4, void *a5, void *a6, void *a7, void *a8, MPI_Fint *made
#define F10 void *a1, void *a2, void *a3, void *a4, void *a5, void *a6, void *a7, void *a8, void *a9, MPI_Fint *made
#define A2 a1, made
#define A3 a1, a2, made
#define A4 a1, a2, a3, made
#define A5 a1, a2, a3, a4, made
#define A6 a1, a2, a3, a4, a5, made
#define A9 a1, a2, a3, a4, a5, a6, a7, a8, made
#define A10 a1, a2, a3, a4, a5, a6, a7, a8, a9, made

#define FORTRAN_CONSTRUCTOR(symbol, count) \
    TOPO_EXPORT void symbol(F##count, MPI_Fint *ierror); \
    TOPO_EXPORT void symbol(F##count, MPI_Fint *ierror) \
    { \
        static void (*_Atomic next)(F##count, MPI_Fint * ierror); \
        if (!next) \
            next = (void (*)(F##count, MPI_Fint *))topo_next(#symbol); \
        next(A##count, ierror); \
        created_in_fortran(ierror, made); \
    }
#define CONSTRUCTOR(Name, NAME, name, count, parameters, arguments) \
    FORTRAN_CONSTRUCTOR(mpi_##name##_, count) \
    FORTRAN_CONSTRUCTOR(mpi_##name##_f08_, count)
#include "catalog/constructors.def"
