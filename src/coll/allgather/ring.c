/* Ring allgather along the ranks in tree order (Kurnosov 2010, section 1, on
 * neighbours that follow the machine).
 *
 * Cost: (n-1)(alpha + m beta), where each step puts one message of m bytes on
 * each node's link in each direction, whatever the placement. */
#include "coll/allgather/allgather.h"

#include "coll/scratch.h"
#include "coll/transport.h"

int topo_allgather_ring(const struct topo_allgather *call)
{
    int n = call->comm->ranks, at = call->comm->position, code;
    const int *order = call->comm->order;
    int left = order[(at + n - 1) % n], right = order[(at + 1) % n];
    const struct topo_data *receive = &call->receive;
    char *packed = NULL;

    /* Blocks that cannot lie as bytes in the receive buffer travel through two packed ones in turn. */
    if (!receive->contiguous) {
        packed = topo_scratch_take(2 * call->m);
        if (!packed)
            return MPI_ERR_NO_MEM;
    }
    code = topo_allgather_place(call, call->comm->rank, call->own);
    const char *sent = call->own;
    for (int k = 0; k < n - 1 && code == MPI_SUCCESS; k++) {
        int arriving = order[(at + n - k - 1) % n];
        char *into = packed ? packed + (size_t)(k % 2) * call->m : topo_data_block(receive, (size_t)arriving);
        code = topo_sendrecv(sent, call->m, right, into, call->m, left, call->channel);
        if (code == MPI_SUCCESS)
            code = topo_allgather_place(call, arriving, into);
        sent = into;
    }
    topo_scratch_give(packed);
    return code;
}
