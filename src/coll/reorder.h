/* Topologies whose ranks may be renumbered: MPI_Cart_create, MPI_Graph_create, MPI_Dist_graph_create and
 * MPI_Dist_graph_create_adjacent with reorder (MPI 4.1, 8.5). MPI leaves the order to the library; Open MPI 4.1 and 5
 * have one for distributed graphs alone, MPICH has none. Here the graph's vertices are divided among the machine's
 * units as those of an algorithm's graph are (renumber/mapping.h), so that few edges cross nodes. */
#ifndef TOPO_COLL_REORDER_H
#define TOPO_COLL_REORDER_H

#include <stdbool.h>

#include <mpi.h>

/* TOPOMPI_REORDER=on: constructors are called without reorder, and what they make is renumbered. */
bool topo_reorders(void);

/* Collective over *made, with a topology that a constructor without reorder has just made (MPI_COMM_NULL allowed).
 * Where all ranks ask for it and fewer edges would cross nodes, *made is freed and becomes a communicator of the same
 * processes in another order, with the same topology: vertex v's edges are those that were given for v, in their order.
 * Returns an MPI error code. */
int topo_reorder(MPI_Comm *made, bool asked);

#endif
