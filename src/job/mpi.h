/* The MPI library's own functions, as the MPI folders call them. In programs that the library is preloaded into, the
 * name PMPI_Send may be libtopompi.so's, or a tool's; so the compiler reads PMPI_Send as topo_mpi.Send in these folders
 * (job/mpi_calls.h, made from job/mpi.def and included before every file). The core fills the table when it starts,
 * from the object of the program's MPI library (intercept/core.c); in programs that are linked with MPI, as tests and
 * tools are, it has these names from the start (job/mpi.c). */
#ifndef TOPO_JOB_MPI_H
#define TOPO_JOB_MPI_H

#include <mpi.h>

#include TOPO_FAMILY

struct topo_mpi {
#define FUNCTION(Name) __typeof__(PMPI_##Name) *Name;
#include "job/mpi.def"
};

extern struct topo_mpi topo_mpi;

#endif
