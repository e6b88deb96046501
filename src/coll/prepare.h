/* What is done for a new communicator before its first collective. */
#ifndef TOPO_COLL_PREPARE_H
#define TOPO_COLL_PREPARE_H

#include <mpi.h>

/* Collective over `comm`, which a constructor just made (MPI_COMM_NULL allowed).
 * With TOPOMPI_PREPARE=create the private communicator and the mappings that the
 * selected algorithms use are made here, else nothing happens. */
void topo_comm_created(MPI_Comm comm);

#endif
