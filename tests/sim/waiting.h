/* The simulator's part of waiting in memory that a node shares (waiting.c). */
#ifndef TOPO_TESTS_SIM_WAITING_H
#define TOPO_TESTS_SIM_WAITING_H

/* Collective over MPI_COMM_WORLD, before topo_library_start(). */
void sim_waiting_start(void);

#endif
