#include "coll/alltoallv/pairs.h"

#include "base/copy.h"
#include "coll/scratch.h"

int topo_pairs_send(const struct topo_alltoallv *call, int to, MPI_Request *request)
{
    const struct topo_side *side = &call->send;
    *request = MPI_REQUEST_NULL;
    if (topo_side_bytes(side, to) == 0)
        return MPI_SUCCESS;
    return PMPI_Isend(topo_side_at(side, to), side->counts[to], side->one.type, to, TOPO_TAG_PAIR, call->channel,
                      request);
}

int topo_pairs_receive(const struct topo_alltoallv *call, int from, MPI_Request *request)
{
    const struct topo_side *side = &call->receive;
    *request = MPI_REQUEST_NULL;
    if (topo_side_bytes(side, from) == 0)
        return MPI_SUCCESS;
    return PMPI_Irecv(topo_side_at(side, from), side->counts[from], side->one.type, from, TOPO_TAG_PAIR, call->channel,
                      request);
}

int topo_pairs_copy_own(const struct topo_alltoallv *call)
{
    const struct topo_side *from = &call->send, *to = &call->receive;
    int own = call->comm->rank;
    size_t bytes = topo_side_bytes(from, own);
    if (bytes == 0 && topo_side_bytes(to, own) == 0)
        return MPI_SUCCESS;
    if (from->one.contiguous && to->one.contiguous && bytes == topo_side_bytes(to, own)) {
        topo_copy(topo_side_at(to, own), topo_side_at(from, own), bytes, bytes >= TOPO_COPY_STREAM);
        return MPI_SUCCESS;
    }
    return PMPI_Sendrecv(topo_side_at(from, own), from->counts[own], from->one.type, own, TOPO_TAG_PAIR,
                         topo_side_at(to, own), to->counts[own], to->one.type, own, TOPO_TAG_PAIR, call->channel,
                         MPI_STATUS_IGNORE);
}

int topo_pairs_start(const struct topo_alltoallv *call, size_t above, struct topo_pairs *pairs)
{
    const struct topo_comm *comm = call->comm;
    int n = comm->ranks, code = MPI_SUCCESS;
    pairs->count = 0;
    pairs->request = topo_scratch_take(2 * (size_t)n * sizeof *pairs->request);
    if (!pairs->request)
        return MPI_ERR_NO_MEM;
    for (int d = 1; d < n && code == MPI_SUCCESS; d++) {
        int from = comm->order[(comm->position + n - d) % n];
        if (topo_side_bytes(&call->receive, from) <= above)
            continue;
        code = topo_pairs_receive(call, from, &pairs->request[pairs->count]);
        pairs->count += code == MPI_SUCCESS;
    }
    for (int d = 1; d < n && code == MPI_SUCCESS; d++) {
        int to = comm->order[(comm->position + d) % n];
        if (topo_side_bytes(&call->send, to) <= above)
            continue;
        code = topo_pairs_send(call, to, &pairs->request[pairs->count]);
        pairs->count += code == MPI_SUCCESS;
    }
    return code;
}

int topo_pairs_finish(struct topo_pairs *pairs)
{
    int code = pairs->count > 0 ? PMPI_Waitall(pairs->count, pairs->request, MPI_STATUSES_IGNORE) : MPI_SUCCESS;
    topo_scratch_give(pairs->request);
    pairs->request = NULL;
    pairs->count = 0;
    return code;
}
