#include "coll/exchange/p2p_stream.h"

#include <string.h>

#include "coll/scratch.h"
#include "coll/transport.h"

bool topo_half_open(struct topo_half *half, const struct topo_alltoallv *call, bool sends)
{
    size_t n = (size_t)call->comm->ranks;
    *half = (struct topo_half){.call = call, .side = sends ? &call->send : &call->receive, .sends = sends};
    if (half->side->one.contiguous)
        return true;
    half->packed = topo_scratch_take(n * sizeof *half->packed);
    if (half->packed)
        memset(half->packed, 0, n * sizeof *half->packed);
    return half->packed;
}

size_t topo_half_requests(const struct topo_half *half, size_t parts)
{
    return topo_side_total(half->side, half->call->comm->ranks) / TOPO_PIECE + (size_t)half->call->comm->ranks + parts;
}

/* Where the bytes of a message that is cut lie. */
static char *bytes_of(struct topo_half *half, int peer, int *code)
{
    if (!half->packed)
        return topo_side_at(half->side, peer);
    if (!half->packed[peer]) {
        half->packed[peer] = topo_scratch_take(topo_side_bytes(half->side, peer));
        if (!half->packed[peer])
            *code = MPI_ERR_NO_MEM;
        else if (half->sends)
            *code = topo_side_pack(half->side, peer, half->packed[peer], half->call->channel->comm);
    }
    return half->packed[peer];
}

int topo_half_start(struct topo_half *half, int peer, size_t offset, size_t length, MPI_Request *request)
{
    const struct topo_side *side = half->side;
    const struct topo_channel *channel = half->call->channel;
    bool whole = length == topo_side_bytes(side, peer);
    int code = MPI_SUCCESS, count = whole ? topo_side_count(side, peer) : (int)length;
    MPI_Datatype type = whole ? side->one.type : MPI_BYTE;
    char *at = whole ? topo_side_at(side, peer) : bytes_of(half, peer, &code);
    *request = MPI_REQUEST_NULL;
    if (code != MPI_SUCCESS)
        return code;
    return half->sends ? topo_isend_typed(at + offset, count, type, peer, TOPO_TAG_PAIR, channel, request)
                       : topo_irecv_typed(at + offset, count, type, peer, TOPO_TAG_PAIR, channel, request);
}

int topo_half_close(struct topo_half *half, bool unpack)
{
    int code = MPI_SUCCESS;
    for (int rank = 0; half->packed && rank < half->call->comm->ranks; rank++) {
        if (half->packed[rank] && unpack && !half->sends && code == MPI_SUCCESS)
            code = topo_side_unpack(half->side, rank, half->packed[rank], half->call->channel->comm);
        topo_scratch_give(half->packed[rank]);
    }
    topo_scratch_give(half->packed);
    half->packed = NULL;
    return code;
}
