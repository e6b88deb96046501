/* Wrappers of catalog/traced.def: time and arguments of calls that the library does not
 * take over, for the trace; a look at one flag when there is no trace. */
#include <mpi.h>

#include "base/export.h"
#include "catalog/arguments.h"
#include "intercept/fortran.h"
#include "intercept/next.h"
#include "intercept/record.h"

#define TRACED(Name, NAME, name, count, kinds, record) \
    TOPO_EXPORT int MPI_##Name(TOPO_PARAMETERS(count, kinds)) \
    { \
        TOPO_NEXT(int, (TOPO_PARAMETERS(count, kinds)), topo_next, "MPI_" #Name) \
        if (!topo_trace_on) \
            return next(TOPO_ARGUMENTS(count, kinds)); \
        uint64_t entered = topo_trace_enter(); \
        int code = next(TOPO_ARGUMENTS(count, kinds)); \
        if (code == MPI_SUCCESS) \
            record; \
        return code; \
    }
#include "catalog/traced.def"

/* -- Fortran: arguments go on as they came. -- */
#undef INT
#undef INTS
#undef TYPE
#undef COMM
#undef IN_PLACE
#define INT(k) TOPO_FORTRAN_INT(a##k)
#define INTS(k) TOPO_COUNTS(TOPO_FORTRAN_INTS(a##k))
#define TYPE(k) TOPO_FORTRAN_TYPE(a##k)
#define COMM(k) TOPO_FORTRAN_COMM(a##k)
#define IN_PLACE(k) (topo_fortran_buffer(a##k) == MPI_IN_PLACE)

/* ierror is absent in some mpi_f08 calls: then the call did not fail, or did not return. */
#define FORTRAN_TRACED(symbol, count, kinds, record) \
    TOPO_FORTRAN_FORWARD( \
        symbol, #symbol, count, kinds, \
        if (!topo_trace_on) { \
            next(TOPO_ARGUMENTS(count, kinds), ierror); \
            return; \
        } uint64_t entered = topo_trace_enter(); \
        next(TOPO_ARGUMENTS(count, kinds), ierror); if (!ierror || *ierror == MPI_SUCCESS) record;)
#define TRACED(Name, NAME, name, count, kinds, record) \
    TOPO_FORTRAN_77(FORTRAN_TRACED(mpi_##name##_, count, kinds, record)) \
    TOPO_FORTRAN_08(FORTRAN_TRACED(mpi_##name##_f08_, count, kinds, record))
#include "catalog/traced.def"
