/* Messages of the algorithms: bytes, any length, on a private communicator. */
#ifndef TOPO_COLL_TRANSPORT_H
#define TOPO_COLL_TRANSPORT_H

#include <stddef.h>

#include <mpi.h>

/* Tag of all internal messages: a private communicator carries one collective at
 * a time, and MPI keeps messages of one pair in order. */
enum { TOPO_TAG = 1 };

/* As the MPI calls of the same names, with lengths in bytes that may exceed
 * INT_MAX. Return MPI error codes. */
int topo_isend(const void *buffer, size_t bytes, int dest, MPI_Comm comm, MPI_Request *request);
int topo_irecv(void *buffer, size_t bytes, int source, MPI_Comm comm, MPI_Request *request);
int topo_send(const void *buffer, size_t bytes, int dest, MPI_Comm comm);
int topo_recv(void *buffer, size_t bytes, int source, MPI_Comm comm);
int topo_sendrecv(const void *send, size_t send_bytes, int dest, void *receive, size_t receive_bytes, int source,
                  MPI_Comm comm);

/* PMPI_Testsome() without statuses, which also sees what it lets arrive itself: Open MPI's moves messages on after its
 * look, so that a rank that then gives its processor away finds them when its turn comes again. */
int topo_testsome(int count, MPI_Request *request, int *done, int *indices);

#endif
