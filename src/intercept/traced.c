/* Wrappers of catalog/traced.def: time and arguments of calls that the library does not
 * take over, for the trace; a look at one flag when there is no trace. */
#include <mpi.h>

#include "base/export.h"
#include "intercept/fortran.h"
#include "intercept/guard.h"
#include "observe/trace.h"

/* What `record` of a row becomes; `entered` is the time before the call. */
#define COLLECTIVE(op, comm, root, bytes) topo_trace_collective(entered, TOPO_TRACE_OP_##op, comm, root, bytes, NULL)
#define VECTOR(op, comm, root, bytes, counts, type) \
    topo_trace_collective(entered, TOPO_TRACE_OP_##op, comm, root, bytes, \
                          &(struct topo_trace_counts){INTS(counts), TYPE(type), NULL})
#define ROOT_VECTOR(op, comm, root, bytes, counts, type) \
    rooted(entered, TOPO_TRACE_OP_##op, comm, root, bytes, &(struct topo_trace_counts){INTS(counts), TYPE(type), NULL})
#define SENT(comm, to, bytes) (topo_trace_sent(comm, to, bytes), topo_trace_p2p(entered))
#define CALL topo_trace_p2p(entered)
#define BYTES(count, type) topo_trace_bytes(INT(count), TYPE(type))

/* Counts that only the root knows. */
static void rooted(uint64_t entered, enum topo_trace_op op, MPI_Comm comm, int root, uint64_t bytes,
                   const struct topo_trace_counts *counts)
{
    int own;
    PMPI_Comm_rank(comm, &own);
    topo_trace_collective(entered, op, comm, root, bytes, own == root ? counts : NULL);
}

/* -- C -- */
#define INT(k) (a##k)
#define INTS(k) (a##k)
#define TYPE(k) (a##k)
#define COMM(k) (a##k)
#define IN_PLACE(k) (a##k == MPI_IN_PLACE)
#define TRACED(Name, NAME, name, count, parameters, arguments, record) \
    TOPO_EXPORT int MPI_##Name parameters \
    { \
        static int(*_Atomic next) parameters; \
        if (!next) \
            next = (int(*) parameters)topo_next("MPI_" #Name); \
        if (!topo_trace_on || topo_depth) \
            return next arguments; \
        uint64_t entered = topo_trace_enter(); \
        int code = next arguments; \
        if (code == MPI_SUCCESS) \
            record; \
        return code; \
    }
#include "catalog/traced.def"
#undef INT
#undef INTS
#undef TYPE
#undef COMM
#undef IN_PLACE

/* -- Fortran: arguments go on as they came. -- */
#define F1 void *a1
#define F2 F1, void *a2
#define F3 F2, void *a3
#define F4 F3, void *a4
#define F5 F4, void *a5
#define F6 F5, void *a6
#define F7 F6, void *a7
#define F8 F7, void *a8
#define F9 F8, void *a9
#define F12 F9, void *a10, void *a11, void *a12
#define A1 a1
#define A2 A1, a2
#define A3 A2, a3
#define A4 A3, a4
#define A5 A4, a5
#define A6 A5, a6
#define A7 A6, a7
#define A8 A7, a8
#define A9 A8, a9
#define A12 A9, a10, a11, a12

#define INT(k) (*(const MPI_Fint *)a##k)
#define INTS(k) ((const int *)a##k)
#define TYPE(k) PMPI_Type_f2c(INT(k))
#define COMM(k) PMPI_Comm_f2c(INT(k))
#define IN_PLACE(k) (topo_fortran_buffer(a##k) == MPI_IN_PLACE)

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of Fortran counts are read as int");

/* ierror is absent in some mpi_f08 calls: then the call did not fail, or did not return. */
#define FORTRAN_TRACED(symbol, count, record) \
    TOPO_EXPORT void symbol(F##count, MPI_Fint *ierror); \
    TOPO_EXPORT void symbol(F##count, MPI_Fint *ierror) \
    { \
        static void (*_Atomic next)(F##count, MPI_Fint * ierror); \
        if (!next) \
            next = (void (*)(F##count, MPI_Fint *))topo_next(#symbol); \
        if (!topo_trace_on || topo_depth) { \
            next(A##count, ierror); \
            return; \
        } \
        uint64_t entered = topo_trace_enter(); \
        next(A##count, ierror); \
        if (!ierror || *ierror == MPI_SUCCESS) \
            record; \
    }
#define TRACED(Name, NAME, name, count, parameters, arguments, record) \
    FORTRAN_TRACED(mpi_##name##_, count, record) \
    FORTRAN_TRACED(mpi_##name##_f08_, count, record)
#include "catalog/traced.def"
