/* What is done for a communicator before its first collective. */
#ifndef TOPO_COLL_PREPARE_H
#define TOPO_COLL_PREPARE_H

#include <mpi.h>

/* Collective over `comm`, which a constructor just made (MPI_COMM_NULL allowed).
 * With TOPOMPI_PREPARE=create the channel is opened and the mappings that the
 * selected algorithms use are made here, else nothing happens. */
void topo_comm_created(MPI_Comm comm);

/* Collective over MPI_COMM_WORLD, in MPI_Init: does the same with TOPOMPI_PREPARE=create, gives it what short calls need, so that they need not wait for it later,
 * and what is long and the same on all ranks of a node to one of them.
 */
void topo_world_created(void);

#endif
