/* In each dimension of a grid the block of the rank before this one comes, then that of the one behind it. */
#include "coll/neighbor_allgather/neighbor_allgather.h"

#include "coll/base/scratch.h"
#include "coll/base/transport.h"

int topo_neighbor_allgather_direct(const struct topo_neighbors *call)
{
    int dims, code = MPI_SUCCESS, used = 0;
    PMPI_Cartdim_get(call->user, &dims);
    MPI_Request *request = topo_scratch_take(4 * (size_t)dims * sizeof *request);
    if (!request)
        return MPI_ERR_NO_MEM;
    for (int slot = 0; slot < 4 * dims && code == MPI_SUCCESS; slot++) {
        const int from = slot / 2, back = from % 2; /* of which neighbour, in the order of the blocks */
        int before, behind;
        const bool sends = slot % 2;
        PMPI_Cart_shift(call->user, from / 2, 1, &before, &behind);
        const int peer = back ? behind : before;
        if (peer == MPI_PROC_NULL)
            continue;
        /* What goes back comes to the rank before as from the one behind it. */
        if (sends)
            code = topo_isend_typed(call->send.base, call->send.count, call->send.type, peer, TOPO_TAG_TREE + (from ^ 1),
                                    &call->comm->channel, &request[used++]);
        else
            code = topo_irecv_typed(topo_data_block(&call->receive, (size_t)from), call->receive.count,
                                    call->receive.type, peer, TOPO_TAG_TREE + from, &call->comm->channel,
                                    &request[used++]);
    }
    code = topo_first_error(code, PMPI_Waitall(used, request, MPI_STATUSES_IGNORE));
    topo_scratch_give(request);
    return code;
}
