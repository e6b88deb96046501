/* The operations that the library takes over, from C and from Fortran: catalog/operations.def. */
#include "coll/call/operations.h"

#include "base/export.h"
#include "job/job.h"
#include "job/native.h"
#include "intercept/fortran.h"
#include "intercept/next.h"
#include "intercept/record.h"
#include "intercept/worldless.h"

#define FORTRAN_OPERATION(symbol, name, count, kinds) \
    TOPO_EXPORT void symbol(TOPO_ADDRESSES(count, kinds), int *ierror); \
    TOPO_EXPORT void symbol(TOPO_ADDRESSES(count, kinds), int *ierror) \
    { \
        int code = name(TOPO_FORTRAN_ARGUMENTS(count, kinds)); \
        topo_fortran_code(ierror, code); \
    }

/* Calls that are recorded, and those before MPI_Init or without it, are functions of their own, so that the others need
 * no registers of theirs. `form`: nothing, or _c. */
#define FORM(name, form, Name, count, kinds, record) \
    static int recorded_##name##form(TOPO_PARAMETERS##form(count, kinds)) \
    { \
        uint64_t entered = topo_trace_enter(); \
        int code = topo_auto_##name##form(TOPO_ARGUMENTS(count, kinds)); \
        if (code == MPI_SUCCESS) \
            record; \
        return code; \
    } \
    static __attribute__((noinline)) int unusual_##name##form(TOPO_PARAMETERS##form(count, kinds)) \
    { \
        if (topo_trace_on) \
            return recorded_##name##form(TOPO_ARGUMENTS(count, kinds)); \
        topo_worldless_call(); \
        return topo_native.name##form(TOPO_ARGUMENTS(count, kinds)); \
    } \
    static int name##form(TOPO_PARAMETERS##form(count, kinds)) \
    { \
        return topo_job.active && !topo_trace_on ? topo_auto_##name##form(TOPO_ARGUMENTS(count, kinds)) \
                                                 : unusual_##name##form(TOPO_ARGUMENTS(count, kinds)); \
    } \
    TOPO_EXPORT int MPI_##Name##form(TOPO_PARAMETERS##form(count, kinds)); \
    TOPO_EXPORT int MPI_##Name##form(TOPO_PARAMETERS##form(count, kinds)) \
    { \
        return name##form(TOPO_ARGUMENTS(count, kinds)); \
    }

/* MPICH's procedures of mpi_f08 with large counts call MPI_X_c. */
#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    FORM(name, , Name, count, kinds, record) \
    TOPO_IF_COUNTS(count, FORM(name, _c, Name, count, kinds, record)) \
    TOPO_FORTRAN_77(FORTRAN_OPERATION(mpi_##name##_, name, count, kinds)) \
    TOPO_FORTRAN_08(FORTRAN_OPERATION(mpi_##name##_f08_, name, count, kinds))
#include "catalog/operations.def"
