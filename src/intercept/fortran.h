/* What the Fortran wrappers share. Open MPI's Fortran layer calls PMPI_*, so the
 * Fortran symbols themselves are taken over (mpif.h and `use mpi` arrive at mpi_x_,
 * whose other spellings preload/calls.c has, `use mpi_f08` at mpi_x_f08_, where
 * handles have the same layout and ierror may be absent). */
#ifndef TOPO_INTERCEPT_FORTRAN_H
#define TOPO_INTERCEPT_FORTRAN_H

#include <mpi.h>

/* A choice buffer as C knows it: Fortran's MPI_IN_PLACE and MPI_BOTTOM are
 * addresses of variables of the Fortran layer. */
void *topo_fortran_buffer(void *buffer);

/* Stores an error code; `ierror` may be NULL. */
static inline void topo_fortran_code(MPI_Fint *ierror, int code)
{
    if (ierror)
        *ierror = code;
}

/* The Fortran symbol of an operation that sends and receives equal blocks; `operation` is its wrapper in C. */
#define TOPO_FORTRAN_BLOCKS(symbol, operation) \
    TOPO_EXPORT void symbol(void *send, MPI_Fint *send_count, MPI_Fint *send_type, void *receive, \
                            MPI_Fint *receive_count, MPI_Fint *receive_type, MPI_Fint *comm, MPI_Fint *ierror); \
    TOPO_EXPORT void symbol(void *send, MPI_Fint *send_count, MPI_Fint *send_type, void *receive, \
                            MPI_Fint *receive_count, MPI_Fint *receive_type, MPI_Fint *comm, MPI_Fint *ierror) \
    { \
        int code = \
            operation(topo_fortran_buffer(send), *send_count, PMPI_Type_f2c(*send_type), topo_fortran_buffer(receive), \
                      *receive_count, PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm)); \
        topo_fortran_code(ierror, code); \
    }

#endif
