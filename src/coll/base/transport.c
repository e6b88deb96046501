#include "coll/base/transport.h"

#include <limits.h>
#include <stdbool.h>

/* How elements travel: as they are, or above INT_MAX as one of a type made for them. */
struct shape {
    MPI_Datatype type;
    int count;
    bool made;
};

static int make_shape(MPI_Count count, MPI_Datatype type, struct shape *shape)
{
    enum { CHUNK = 1 << 30 };
    MPI_Datatype chunk = MPI_DATATYPE_NULL, chunks = MPI_DATATYPE_NULL;
    MPI_Aint lb, extent;
    int whole = (int)(count / CHUNK), rest = (int)(count % CHUNK), code;
    *shape = (struct shape){MPI_DATATYPE_NULL, 1, true};
    if ((code = PMPI_Type_get_extent(type, &lb, &extent)) != MPI_SUCCESS)
        goto out;
    if ((code = PMPI_Type_contiguous(CHUNK, type, &chunk)) != MPI_SUCCESS)
        goto out;
    if ((code = PMPI_Type_contiguous(whole, chunk, &chunks)) != MPI_SUCCESS)
        goto out;
    int lengths[2] = {1, rest};
    MPI_Aint at[2] = {0, (MPI_Aint)(count - rest) * extent};
    MPI_Datatype types[2] = {chunks, type};
    if ((code = PMPI_Type_create_struct(2, lengths, at, types, &shape->type)) == MPI_SUCCESS)
        code = PMPI_Type_commit(&shape->type);
out:
    if (chunk != MPI_DATATYPE_NULL)
        PMPI_Type_free(&chunk);
    if (chunks != MPI_DATATYPE_NULL)
        PMPI_Type_free(&chunks);
    return code;
}

static int shape_of(MPI_Count count, MPI_Datatype type, struct shape *shape)
{
    if (count > INT_MAX)
        return make_shape(count, type, shape);
    *shape = (struct shape){type, (int)count, false};
    return MPI_SUCCESS;
}

/* A type in use by a pending message may be freed at once (MPI 3.1, section 4.1.9). */
static void drop(struct shape *shape)
{
    if (shape->made && shape->type != MPI_DATATYPE_NULL)
        PMPI_Type_free(&shape->type);
}

enum direction { SEND, RECEIVE, START_SEND, START_SYNCHRONOUS_SEND, START_RECEIVE };

/* One message in its shape; a request for what is started. */
static int transfer(enum direction direction, struct topo_elements elements, int peer, int tag,
                    const struct topo_channel *channel, MPI_Request *request)
{
    struct shape shape;
    int code = shape_of(elements.count, elements.type, &shape), rank = topo_channel_peer(channel, peer);
    tag += channel->tag;
    void *at = elements.at;
    MPI_Comm comm = channel->comm;
    if (code == MPI_SUCCESS)
        switch (direction) {
        case SEND: code = PMPI_Send(at, shape.count, shape.type, rank, tag, comm); break;
        case RECEIVE: code = PMPI_Recv(at, shape.count, shape.type, rank, tag, comm, MPI_STATUS_IGNORE); break;
        case START_SEND: code = PMPI_Isend(at, shape.count, shape.type, rank, tag, comm, request); break;
        case START_SYNCHRONOUS_SEND: code = PMPI_Issend(at, shape.count, shape.type, rank, tag, comm, request); break;
        case START_RECEIVE: code = PMPI_Irecv(at, shape.count, shape.type, rank, tag, comm, request); break;
        }
    drop(&shape);
    return code;
}

static struct topo_elements as_bytes(const void *buffer, size_t bytes)
{
    return (struct topo_elements){(void *)buffer, (MPI_Count)bytes, MPI_BYTE};
}

int topo_isend(const void *buffer, size_t bytes, int dest, const struct topo_channel *channel, MPI_Request *request)
{
    return transfer(START_SEND, as_bytes(buffer, bytes), dest, TOPO_TAG, channel, request);
}

int topo_irecv(void *buffer, size_t bytes, int source, const struct topo_channel *channel, MPI_Request *request)
{
    return transfer(START_RECEIVE, as_bytes(buffer, bytes), source, TOPO_TAG, channel, request);
}

int topo_send(const void *buffer, size_t bytes, int dest, const struct topo_channel *channel)
{
    return transfer(SEND, as_bytes(buffer, bytes), dest, TOPO_TAG, channel, NULL);
}

int topo_recv(void *buffer, size_t bytes, int source, const struct topo_channel *channel)
{
    return transfer(RECEIVE, as_bytes(buffer, bytes), source, TOPO_TAG, channel, NULL);
}

int topo_sendrecv(const void *send, size_t send_bytes, int dest, void *receive, size_t receive_bytes, int source,
                  const struct topo_channel *channel)
{
    return topo_sendrecv_typed(as_bytes(send, send_bytes), dest, as_bytes(receive, receive_bytes), source, TOPO_TAG,
                               channel);
}

int topo_isend_typed(const void *buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                     const struct topo_channel *channel, MPI_Request *request)
{
    return transfer(START_SEND, (struct topo_elements){(void *)buffer, count, type}, dest, tag, channel, request);
}

int topo_issend_typed(const void *buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                      const struct topo_channel *channel, MPI_Request *request)
{
    return transfer(START_SYNCHRONOUS_SEND, (struct topo_elements){(void *)buffer, count, type}, dest, tag, channel,
                    request);
}

int topo_irecv_typed(void *buffer, MPI_Count count, MPI_Datatype type, int source, int tag,
                     const struct topo_channel *channel, MPI_Request *request)
{
    return transfer(START_RECEIVE, (struct topo_elements){buffer, count, type}, source, tag, channel, request);
}

int topo_sendrecv_typed(struct topo_elements send, int dest, struct topo_elements receive, int source, int tag,
                        const struct topo_channel *channel)
{
    struct shape out, in = {.made = false};
    int code = shape_of(send.count, send.type, &out);
    if (code == MPI_SUCCESS)
        code = shape_of(receive.count, receive.type, &in);
    if (code == MPI_SUCCESS)
        code = PMPI_Sendrecv(send.at, out.count, out.type, topo_channel_peer(channel, dest), channel->tag + tag,
                             receive.at, in.count, in.type, topo_channel_peer(channel, source), channel->tag + tag,
                             channel->comm, MPI_STATUS_IGNORE);
    drop(&out);
    drop(&in);
    return code;
}

int topo_testsome(int count, MPI_Request *request, int *done, int *indices)
{
    int code = PMPI_Testsome(count, request, done, indices, MPI_STATUSES_IGNORE);
    if (code == MPI_SUCCESS && *done == 0)
        code = PMPI_Testsome(count, request, done, indices, MPI_STATUSES_IGNORE);
    return code;
}
