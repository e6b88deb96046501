#include "coll/base/transport.h"

#include <limits.h>
#include <stdbool.h>

/* How `bytes` travel: MPI_BYTE, or above INT_MAX one element of a type made for it. */
struct shape {
    MPI_Datatype type;
    int count;
    bool made;
};

static int shape_of(size_t bytes, struct shape *shape)
{
    enum { CHUNK = 1 << 30 };
    shape->made = bytes > INT_MAX;
    shape->type = MPI_BYTE;
    shape->count = (int)bytes;
    if (!shape->made)
        return MPI_SUCCESS;

    MPI_Datatype chunk = MPI_DATATYPE_NULL, chunks = MPI_DATATYPE_NULL;
    int whole = (int)(bytes / CHUNK), rest = (int)(bytes % CHUNK), code;
    int lengths[2] = {1, rest};
    MPI_Aint at[2] = {0, (MPI_Aint)(bytes - (size_t)rest)};
    if ((code = PMPI_Type_contiguous(CHUNK, MPI_BYTE, &chunk)) != MPI_SUCCESS)
        goto out;
    if ((code = PMPI_Type_contiguous(whole, chunk, &chunks)) != MPI_SUCCESS)
        goto out;
    MPI_Datatype types[2] = {chunks, MPI_BYTE};
    if ((code = PMPI_Type_create_struct(2, lengths, at, types, &shape->type)) != MPI_SUCCESS)
        goto out;
    shape->count = 1;
    code = PMPI_Type_commit(&shape->type);
out:
    if (chunk != MPI_DATATYPE_NULL)
        PMPI_Type_free(&chunk);
    if (chunks != MPI_DATATYPE_NULL)
        PMPI_Type_free(&chunks);
    return code;
}

/* A type in use by a pending message may be freed at once (MPI 3.1, section 4.1.9). */
static void drop(struct shape *shape)
{
    if (shape->made && shape->type != MPI_BYTE)
        PMPI_Type_free(&shape->type);
}

enum direction { SEND, RECEIVE, START_SEND, START_RECEIVE };

/* One message in its shape; a request for what is started. */
static int transfer(enum direction direction, void *buffer, size_t bytes, int peer, const struct topo_channel *channel,
                    MPI_Request *request)
{
    struct shape shape;
    int code = shape_of(bytes, &shape), rank = topo_channel_peer(channel, peer), tag = channel->tag + TOPO_TAG;
    if (code != MPI_SUCCESS)
        return code;
    switch (direction) {
    case SEND: code = PMPI_Send(buffer, shape.count, shape.type, rank, tag, channel->comm); break;
    case RECEIVE: code = PMPI_Recv(buffer, shape.count, shape.type, rank, tag, channel->comm, MPI_STATUS_IGNORE); break;
    case START_SEND: code = PMPI_Isend(buffer, shape.count, shape.type, rank, tag, channel->comm, request); break;
    case START_RECEIVE: code = PMPI_Irecv(buffer, shape.count, shape.type, rank, tag, channel->comm, request); break;
    }
    drop(&shape);
    return code;
}

int topo_isend(const void *buffer, size_t bytes, int dest, const struct topo_channel *channel, MPI_Request *request)
{
    return transfer(START_SEND, (void *)buffer, bytes, dest, channel, request);
}

int topo_irecv(void *buffer, size_t bytes, int source, const struct topo_channel *channel, MPI_Request *request)
{
    return transfer(START_RECEIVE, buffer, bytes, source, channel, request);
}

int topo_send(const void *buffer, size_t bytes, int dest, const struct topo_channel *channel)
{
    return transfer(SEND, (void *)buffer, bytes, dest, channel, NULL);
}

int topo_recv(void *buffer, size_t bytes, int source, const struct topo_channel *channel)
{
    return transfer(RECEIVE, buffer, bytes, source, channel, NULL);
}

int topo_sendrecv(const void *send, size_t send_bytes, int dest, void *receive, size_t receive_bytes, int source,
                  const struct topo_channel *channel)
{
    struct shape out, in = {MPI_BYTE, 0, false};
    int code = shape_of(send_bytes, &out);
    if (code == MPI_SUCCESS)
        code = shape_of(receive_bytes, &in);
    if (code == MPI_SUCCESS)
        code = PMPI_Sendrecv(send, out.count, out.type, topo_channel_peer(channel, dest), channel->tag + TOPO_TAG,
                             receive, in.count, in.type, topo_channel_peer(channel, source), channel->tag + TOPO_TAG,
                             channel->comm, MPI_STATUS_IGNORE);
    drop(&out);
    drop(&in);
    return code;
}

int topo_isend_typed(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                     const struct topo_channel *channel, MPI_Request *request)
{
    return PMPI_Isend(buffer, count, type, topo_channel_peer(channel, dest), channel->tag + tag, channel->comm,
                      request);
}

int topo_issend_typed(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                      const struct topo_channel *channel, MPI_Request *request)
{
    return PMPI_Issend(buffer, count, type, topo_channel_peer(channel, dest), channel->tag + tag, channel->comm,
                       request);
}

int topo_irecv_typed(void *buffer, int count, MPI_Datatype type, int source, int tag,
                     const struct topo_channel *channel, MPI_Request *request)
{
    return PMPI_Irecv(buffer, count, type, topo_channel_peer(channel, source), channel->tag + tag, channel->comm,
                      request);
}

int topo_sendrecv_typed(struct topo_elements send, int dest, struct topo_elements receive, int source, int tag,
                        const struct topo_channel *channel)
{
    return PMPI_Sendrecv(send.at, send.count, send.type, topo_channel_peer(channel, dest), channel->tag + tag,
                         receive.at, receive.count, receive.type, topo_channel_peer(channel, source),
                         channel->tag + tag, channel->comm, MPI_STATUS_IGNORE);
}

int topo_testsome(int count, MPI_Request *request, int *done, int *indices)
{
    int code = PMPI_Testsome(count, request, done, indices, MPI_STATUSES_IGNORE);
    if (code == MPI_SUCCESS && *done == 0)
        code = PMPI_Testsome(count, request, done, indices, MPI_STATUSES_IGNORE);
    return code;
}
