/* The simulator's part of waiting: in memory that a node shares (waiting.c), and for messages (requests.c). */
#ifndef TOPO_TESTS_SIM_WAITING_H
#define TOPO_TESTS_SIM_WAITING_H

#include <mpi.h>

/* Collective over MPI_COMM_WORLD, before topo_library_start(). */
void sim_waiting_start(void);

/* As MPI_Test() of a request that is not MPI_REQUEST_NULL. */
int sim_test(MPI_Request *request, int *through);

#endif
