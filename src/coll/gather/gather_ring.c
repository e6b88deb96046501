/* Ring allgather (docs/REFERENCES.md, Mapping 4) along the ranks in tree order, or by their numbers.
 *
 * Blocks of different lengths travel the same way, but for those of no bytes.
 *
 * Cost: (n-1)(alpha + m beta). In tree order each step puts one message of m bytes on
 * each node's link in each direction, whatever the placement. */
#include "coll/gather/gather_direct.h"

#include "coll/base/scratch.h"
#include "coll/base/transport.h"

/* The rank at a place of the ring, 0 <= place < 2n; `order` NULL: its number. */
static int rank_at(const struct topo_numbers *order, int place, int n)
{
    place = place < n ? place : place - n;
    return order ? topo_numbers_at(order, place) : place;
}

/* Long blocks: step k brings position k + 1, the block of the rank k + 1 places to the left. */
static int ring_direct(const struct topo_allgather *call, const struct topo_numbers *order, int at)
{
    int n = call->comm->ranks, code = MPI_ERR_NO_MEM;
    int left = rank_at(order, at + n - 1, n), right = rank_at(order, at + 1, n);
    int *owner = topo_scratch_take((size_t)n * sizeof *owner);
    struct topo_step *steps = topo_scratch_take((size_t)n * sizeof *steps);
    for (int k = 0; owner && steps && k < n; k++) {
        owner[k] = rank_at(order, at + n - k, n);
        steps[k] = (struct topo_step){.to = right, .from = left, .send_at = k, .receive_at = k + 1, .count = 1};
    }
    if (owner && steps)
        code = topo_allgather_direct(call, steps, n - 1, owner, 0, call->own);
    topo_scratch_give(steps);
    topo_scratch_give(owner);
    return code;
}

static int ring(const struct topo_allgather *call, const struct topo_numbers *order, int at)
{
    int n = call->comm->ranks, code;
    int left = rank_at(order, at + n - 1, n), right = rank_at(order, at + 1, n);
    size_t longest = topo_allgather_longest(call);
    char *packed = NULL;

    if (topo_allgather_is_direct(call))
        return ring_direct(call, order, at);
    /* Blocks that cannot lie as bytes in the receive buffer travel through two packed ones in turn. */
    if (!call->receive.contiguous) {
        packed = topo_scratch_take(2 * longest);
        if (!packed)
            return MPI_ERR_NO_MEM;
    }
    code = topo_allgather_place(call, call->comm->rank, call->own);
    const char *sent = call->own;
    size_t bytes = topo_allgather_block(call, call->comm->rank).bytes;
    for (int k = 0; k < n - 1 && code == MPI_SUCCESS; k++) {
        int arriving = rank_at(order, at + n - k - 1, n);
        struct topo_data block = topo_allgather_block(call, arriving);
        char *into = packed ? packed + (size_t)(k % 2) * longest : block.base;
        code = topo_sendrecv(sent, bytes, bytes > 0 ? right : MPI_PROC_NULL, into, block.bytes,
                             block.bytes > 0 ? left : MPI_PROC_NULL, call->channel);
        if (code == MPI_SUCCESS)
            code = topo_allgather_place(call, arriving, into);
        sent = into;
        bytes = block.bytes;
    }
    topo_scratch_give(packed);
    return code;
}

int topo_gather_ring(const struct topo_allgather *call)
{
    return ring(call, &call->comm->tree->order, call->comm->position);
}

int topo_gather_ring_by_rank(const struct topo_allgather *call)
{
    return ring(call, NULL, call->comm->rank);
}
