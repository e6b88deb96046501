/* What the Fortran wrappers share. Open MPI's Fortran layer calls PMPI_*, so the
 * Fortran symbols themselves are taken over (mpif.h and `use mpi` arrive at mpi_x_,
 * whose other spellings preload/calls.c has, `use mpi_f08` at mpi_x_f08_, where
 * handles have the same layout and ierror may be absent). */
#ifndef TOPO_INTERCEPT_FORTRAN_H
#define TOPO_INTERCEPT_FORTRAN_H

#include <mpi.h>

#include "base/export.h"
#include "catalog/arguments.h"
#include "intercept/guard.h"

/* The wrapper of a Fortran procedure that goes on to the next library's, `next`, with its arguments as they came,
 * sentinels and logicals included; last its statements. */
#define TOPO_FORTRAN_FORWARD(symbol, count, kinds, ...) \
    TOPO_EXPORT void symbol(TOPO_ADDRESSES(count, kinds), MPI_Fint *ierror); \
    TOPO_EXPORT void symbol(TOPO_ADDRESSES(count, kinds), MPI_Fint *ierror) \
    { \
        static void (*_Atomic next)(TOPO_ADDRESSES(count, kinds), MPI_Fint * ierror); \
        if (!next) \
            next = (void (*)(TOPO_ADDRESSES(count, kinds), MPI_Fint *))topo_next(#symbol); \
        __VA_ARGS__ \
    }

/* A choice buffer as C knows it: Fortran's MPI_IN_PLACE and MPI_BOTTOM are
 * addresses of variables of the Fortran layer. */
void *topo_fortran_buffer(void *buffer);

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of Fortran's integers are read as arrays of int");

/* Stores an error code; `ierror` may be NULL. */
static inline void topo_fortran_code(MPI_Fint *ierror, int code)
{
    if (ierror)
        *ierror = code;
}

#endif
