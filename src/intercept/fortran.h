/* What the Fortran wrappers share. Open MPI's Fortran layer calls PMPI_*, so the
 * Fortran symbols themselves are taken over (mpif.h and `use mpi` arrive at mpi_x_,
 * whose other spellings preload/calls.c has, `use mpi_f08` at mpi_x_f08_, where
 * handles have the same layout and ierror may be absent). MPICH's mpi_x_
 * call MPI_*, as do its mpi_x_f08ts_, which calls with buffers are in mpi_f08: there the wrappers for C see them, and
 * those of mpi_x_ are left out, or a call would be taken twice. Its mpi_x_f08_ call PMPI_* as Open MPI's do. So a
 * family's header (family/family.h) says with TOPO_FORTRAN_77(...) and TOPO_FORTRAN_08(...) whether there are wrappers of
 * symbols mpi_x_ and mpi_x_f08_, and by TOPO_FORTRAN_OWN(symbol) the name by which MPI's own procedure is found. */
#ifndef TOPO_INTERCEPT_FORTRAN_H
#define TOPO_INTERCEPT_FORTRAN_H

#include <mpi.h>

#include "base/export.h"
#include "catalog/arguments.h"
#include "intercept/next.h"

/* The wrapper of a Fortran procedure that goes on to that called `name` of the libraries after us, `next`, with its
 * arguments as they came, sentinels and logicals included; last its statements. */
#define TOPO_FORTRAN_FORWARD(symbol, name, count, kinds, ...) \
    TOPO_EXPORT void symbol(TOPO_ADDRESSES(count, kinds), int *ierror); \
    TOPO_EXPORT void symbol(TOPO_ADDRESSES(count, kinds), int *ierror) \
    { \
        TOPO_NEXT(void, (TOPO_ADDRESSES(count, kinds), int *ierror), topo_next, name) \
        __VA_ARGS__ \
    }

/* A choice buffer as C knows it: Fortran's MPI_IN_PLACE and MPI_BOTTOM are
 * addresses of variables of the Fortran layer. */
void *topo_fortran_buffer(void *buffer);

TOPO_FORTRAN_08(
    _Static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of Fortran's integers are read as arrays of int");)

/* Stores an error code; `ierror` may be NULL. */
static inline void topo_fortran_code(int *ierror, int code)
{
    if (ierror)
        *ierror = code;
}

#endif
