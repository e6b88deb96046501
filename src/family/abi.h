/* MPI 5's standard ABI: libmpi_abi.so of MPICH 5 and of Open MPI after 5.0, compiled with a header of ours, abi/mpi.h. It
 * has no Fortran (MPI 5.0, section 21.4): a library of Fortran procedures over it calls C, where its calls are taken. */
#ifndef TOPO_FAMILY_ABI_H
#define TOPO_FAMILY_ABI_H

#include <limits.h>
#include <stddef.h>

#define TOPO_MPI_FUNCTIONS
#define TOPO_MPI_TABLES
#define TOPO_MPI_CALLERS "mca_", "libmca_" /* MPICH's ROMIO is in the library itself */
#define TOPO_MPI_CALLS_ITSELF true
#define TOPO_MPI_RECOVERS "ompi_ftmpi_enabled" /* where it is Open MPI's */
#define TOPO_MPI_LOST(class) ((void)(class), false) /* it has no such classes yet: the communicator is asked */
#define TOPO_MPI_PROGRESS NULL
#define TOPO_MPI_YIELDS NULL
#define TOPO_MPI_GROUP_SHORT INT_MAX
#define TOPO_MPI_SCANS_SAME false
#define TOPO_MPI_UNWEIGHTED MPI_UNWEIGHTED
#define TOPO_FORTRAN_77(...)
#define TOPO_FORTRAN_08(...)

#endif
