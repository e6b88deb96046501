/* MPICH from 3.4 on, and what has its binary interface: libmpi.so.12 of MPICH, Intel MPI and MVAPICH, the same under
 * other names of Cray MPICH. Handles are numbers, so nothing is looked up. */
#ifndef TOPO_FAMILY_MPICH_H
#define TOPO_FAMILY_MPICH_H

#include <limits.h>
#include <stddef.h>

#define TOPO_MPI_FUNCTIONS
#define TOPO_MPI_TABLES
#define TOPO_MPI_CALLERS "libmpichfort", "libmpifort" /* ROMIO is in the library itself */
#define TOPO_MPI_CALLS_ITSELF true
#define TOPO_MPI_RECOVERS NULL
#define TOPO_MPI_LOST(class) ((void)(class), false)
#define TOPO_MPI_PROGRESS NULL
#define TOPO_MPI_YIELDS NULL
#define TOPO_MPI_GROUP_SHORT INT_MAX /* it translates in linear time, and takes longer to make a group */
#define TOPO_MPI_SCANS_SAME false
#define TOPO_MPI_UNWEIGHTED (*(int *const *)topo_family_symbol("MPI_UNWEIGHTED")) /* a variable */
#define TOPO_FORTRAN_77(...)
#define TOPO_FORTRAN_HANDLE(Kind, number) PMPI_##Kind##_f2c(number)
#define TOPO_FORTRAN_NUMBER(comm) PMPI_Comm_c2f(comm)
#define TOPO_FORTRAN_08(...) __VA_ARGS__
#define TOPO_FORTRAN_OWN(symbol) #symbol /* its f08 has no name beside the symbol */

#endif
