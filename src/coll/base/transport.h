/* Messages of the algorithms: bytes, any length, and elements of a type, on a channel. */
#ifndef TOPO_COLL_BASE_TRANSPORT_H
#define TOPO_COLL_BASE_TRANSPORT_H

#include <stddef.h>

#include <mpi.h>

#include "job/channel.h"

/* The first error of two MPI error codes. */
static inline int topo_first_error(int code, int other)
{
    return code != MPI_SUCCESS ? code : other;
}

/* As the MPI calls of the same names, on a channel, with lengths in bytes, or elements below, that may exceed
 * INT_MAX. Return MPI error codes. */
int topo_isend(const void *buffer, size_t bytes, int dest, const struct topo_channel *channel, MPI_Request *request);
int topo_irecv(void *buffer, size_t bytes, int source, const struct topo_channel *channel, MPI_Request *request);
int topo_send(const void *buffer, size_t bytes, int dest, const struct topo_channel *channel);
int topo_recv(void *buffer, size_t bytes, int source, const struct topo_channel *channel);
int topo_sendrecv(const void *send, size_t send_bytes, int dest, void *receive, size_t receive_bytes, int source,
                  const struct topo_channel *channel);

/* The same with elements of a type and a tag of their own, from 0 on. */
struct topo_elements {
    void *at;
    MPI_Count count;
    MPI_Datatype type;
};
int topo_isend_typed(const void *buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                     const struct topo_channel *channel, MPI_Request *request);
int topo_issend_typed(const void *buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                      const struct topo_channel *channel, MPI_Request *request);
int topo_irecv_typed(void *buffer, MPI_Count count, MPI_Datatype type, int source, int tag,
                     const struct topo_channel *channel, MPI_Request *request);
int topo_sendrecv_typed(struct topo_elements send, int dest, struct topo_elements receive, int source, int tag,
                        const struct topo_channel *channel);

/* PMPI_Testsome() without statuses. Calls it twice: Open MPI progresses after checking, so the first call can miss
 * completions that it has just caused. */
int topo_testsome(int count, MPI_Request *request, int *done, int *indices);

#endif
