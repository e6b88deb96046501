#include "coll/exchange/pairs.h"

#include <string.h>

#include "base/copy.h"
#include "base/memory.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"

/* So many messages at once, or more as long as they are so few bytes, keep the
 * links busy. More long ones at once wait for one another. */
enum { WINDOW = 4, WINDOW_BYTES = 64 << 10 };

int topo_pairs_copy_own(const struct topo_alltoallv *call)
{
    const struct topo_buffer_desc *from = &call->send, *to = &call->receive;
    int own = call->comm->rank;
    size_t bytes = topo_buffer_desc_bytes(from, own);
    if (bytes == 0 && topo_buffer_desc_bytes(to, own) == 0)
        return MPI_SUCCESS;
    if (from->one.contiguous && to->one.contiguous && bytes == topo_buffer_desc_bytes(to, own)) {
        topo_copy(topo_buffer_desc_at(to, own), topo_buffer_desc_at(from, own), bytes, bytes >= TOPO_COPY_STREAM);
        return MPI_SUCCESS;
    }
    return topo_sendrecv_typed(
        (struct topo_elements){topo_buffer_desc_at(from, own), topo_buffer_desc_count(from, own), from->one.type}, own,
        (struct topo_elements){topo_buffer_desc_at(to, own), topo_buffer_desc_count(to, own), to->one.type}, own,
        TOPO_TAG_PAIR, call->channel);
}

/* Peers of this rank in the order of its sends, then in that of its receives: the
 * i-th message goes i nodes further, for each rank of a node another start, so that
 * the links of all nodes are busy in both directions all the time. Made once. */
static const int *peers_of(const struct topo_alltoallv *call)
{
    struct topo_comm *comm = call->comm;
    int **peers = &call->estimate->peers, sends = 0, receives = 0;
    const struct topo_node *node = topo_comm_node(comm);
    if (*peers || !node || !(*peers = topo_alloc(2 * (size_t)comm->ranks, sizeof **peers)))
        return *peers;
    const struct topo_levels *levels = node->levels;
    int nodes = levels->nodes, most = comm->layout.node_ranks_max;
    for (int64_t i = 0; i < (int64_t)nodes * most; i++) {
        int further = (int)((i + node->local) % nodes), local = (int)((i / nodes + node->local) % most);
        int to = (node->index + further) % nodes, from = (node->index + nodes - further) % nodes;
        if (local < topo_node_ranks(levels, to) && levels->start[to] + local != comm->position)
            (*peers)[sends++] = topo_tree_rank(comm->tree, levels->start[to] + local);
        if (local < topo_node_ranks(levels, from) && levels->start[from] + local != comm->position)
            (*peers)[comm->ranks + receives++] = topo_tree_rank(comm->tree, levels->start[from] + local);
    }
    return *peers;
}

/* Sends as send[at] the next segment of the message that is under way there, or the first one of another message. */
static int send_next(struct topo_pairs *pairs, int at, bool *sent)
{
    const struct topo_buffer_desc *buffer = pairs->sending.buffer;
    struct topo_flight *flight = &pairs->flight[at];
    int last = pairs->sending.call->comm->ranks - 1;
    flight->offset += flight->length;
    while (flight->offset == flight->bytes && pairs->next < last) {
        flight->to = pairs->sending.call->estimate->peers[pairs->next++];
        flight->bytes = topo_buffer_desc_bytes(buffer, flight->to);
        flight->offset = flight->bytes > pairs->above ? 0 : flight->bytes;
    }
    flight->length = topo_p2p_segment(flight->bytes, flight->offset);
    *sent = flight->length > 0;
    if (!*sent)
        return MPI_SUCCESS;
    pairs->bytes += flight->length;
    return topo_p2p_stream_start(&pairs->sending, flight->to, flight->offset, flight->length, &pairs->send[at]);
}

/* All receives, segment by segment. */
static int receive_all(struct topo_pairs *pairs)
{
    const struct topo_alltoallv *call = pairs->receiving.call;
    int n = call->comm->ranks, code = MPI_SUCCESS;
    for (int i = 0; i < n - 1 && code == MPI_SUCCESS; i++) {
        int from = call->estimate->peers[n + i];
        size_t bytes = topo_buffer_desc_bytes(&call->receive, from), length;
        for (size_t at = 0; bytes > pairs->above && at < bytes && code == MPI_SUCCESS; at += length) {
            length = topo_p2p_segment(bytes, at);
            code = topo_p2p_stream_start(&pairs->receiving, from, at, length, &pairs->receive[pairs->receives]);
            pairs->receives += code == MPI_SUCCESS;
        }
    }
    return code;
}

int topo_pairs_start(const struct topo_alltoallv *call, size_t above, struct topo_pairs *pairs)
{
    size_t most = (size_t)call->comm->ranks;
    bool sent = true, ready = peers_of(call);
    *pairs = (struct topo_pairs){.above = above};
    ready &= topo_p2p_stream_open(&pairs->sending, call, true);
    ready &= topo_p2p_stream_open(&pairs->receiving, call, false);
    size_t receives = topo_p2p_stream_requests(&pairs->receiving, 0);
    pairs->receive = topo_scratch_take((receives + most) * sizeof(MPI_Request) + most * sizeof *pairs->flight);
    if (!ready || !pairs->receive)
        return MPI_ERR_NO_MEM;
    pairs->send = pairs->receive + receives;
    pairs->flight = (struct topo_flight *)(void *)(pairs->send + most);
    memset(pairs->flight, 0, most * sizeof *pairs->flight);
    int code = receive_all(pairs);
    while (code == MPI_SUCCESS && sent && (pairs->sends < WINDOW || pairs->bytes < WINDOW_BYTES)) {
        code = send_next(pairs, pairs->sends, &sent);
        pairs->sends += sent;
    }
    return code;
}

int topo_pairs_finish(struct topo_pairs *pairs)
{
    int code = MPI_SUCCESS, done;
    bool sent;
    while (code == MPI_SUCCESS && pairs->sends > 0) {
        code = PMPI_Waitany(pairs->sends, pairs->send, &done, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS || done == MPI_UNDEFINED)
            break;
        pairs->bytes -= pairs->flight[done].length;
        code = send_next(pairs, done, &sent);
    }
    int waited = PMPI_Waitall(pairs->sends, pairs->send, MPI_STATUSES_IGNORE);
    code = code != MPI_SUCCESS ? code : waited;
    waited = PMPI_Waitall(pairs->receives, pairs->receive, MPI_STATUSES_IGNORE);
    code = code != MPI_SUCCESS ? code : waited;
    topo_p2p_stream_close(&pairs->sending, false);
    waited = topo_p2p_stream_close(&pairs->receiving, code == MPI_SUCCESS);
    topo_scratch_give(pairs->receive);
    *pairs = (struct topo_pairs){0};
    return code != MPI_SUCCESS ? code : waited;
}
