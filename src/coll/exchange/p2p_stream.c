#include "coll/exchange/p2p_stream.h"

#include <string.h>

#include "coll/base/scratch.h"
#include "coll/base/transport.h"

bool topo_p2p_stream_open(struct topo_p2p_stream *stream, const struct topo_alltoallv *call, bool sends)
{
    size_t n = (size_t)call->comm->ranks;
    *stream = (struct topo_p2p_stream){.call = call, .buffer = sends ? &call->send : &call->receive, .sends = sends};
    if (stream->buffer->one.contiguous)
        return true;
    stream->packed = topo_scratch_take(n * sizeof *stream->packed);
    if (stream->packed)
        memset(stream->packed, 0, n * sizeof *stream->packed);
    return stream->packed;
}

size_t topo_p2p_stream_requests(const struct topo_p2p_stream *stream, size_t parts)
{
    return topo_buffer_desc_total(stream->buffer, stream->call->comm->ranks) / TOPO_P2P_SEGMENT +
           (size_t)stream->call->comm->ranks + parts;
}

/* Where the bytes of a message that is cut lie. */
static char *bytes_of(struct topo_p2p_stream *stream, int peer, int *code)
{
    if (!stream->packed)
        return topo_buffer_desc_at(stream->buffer, peer);
    if (!stream->packed[peer]) {
        stream->packed[peer] = topo_scratch_take(topo_buffer_desc_bytes(stream->buffer, peer));
        if (!stream->packed[peer])
            *code = MPI_ERR_NO_MEM;
        else if (stream->sends)
            *code = topo_buffer_desc_pack(stream->buffer, peer, stream->packed[peer], stream->call->channel->comm);
    }
    return stream->packed[peer];
}

int topo_p2p_stream_start(struct topo_p2p_stream *stream, int peer, size_t offset, size_t length, MPI_Request *request)
{
    const struct topo_buffer_desc *buffer = stream->buffer;
    const struct topo_channel *channel = stream->call->channel;
    bool whole = length == topo_buffer_desc_bytes(buffer, peer);
    int code = MPI_SUCCESS;
    MPI_Count count = whole ? topo_buffer_desc_count(buffer, peer) : (MPI_Count)length;
    MPI_Datatype type = whole ? buffer->one.type : MPI_BYTE;
    char *at = whole ? topo_buffer_desc_at(buffer, peer) : bytes_of(stream, peer, &code);
    *request = MPI_REQUEST_NULL;
    if (code != MPI_SUCCESS)
        return code;
    return stream->sends ? topo_isend_typed(at + offset, count, type, peer, TOPO_TAG_PAIR, channel, request)
                         : topo_irecv_typed(at + offset, count, type, peer, TOPO_TAG_PAIR, channel, request);
}

int topo_p2p_stream_close(struct topo_p2p_stream *stream, bool unpack)
{
    int code = MPI_SUCCESS;
    for (int rank = 0; stream->packed && rank < stream->call->comm->ranks; rank++) {
        if (stream->packed[rank] && unpack && !stream->sends && code == MPI_SUCCESS)
            code = topo_buffer_desc_unpack(stream->buffer, rank, stream->packed[rank], stream->call->channel->comm);
        topo_scratch_give(stream->packed[rank]);
    }
    topo_scratch_give(stream->packed);
    stream->packed = NULL;
    return code;
}
