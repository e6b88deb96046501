#include "coll/allgather/steps.h"

#include <string.h>

#include "coll/scratch.h"
#include "coll/transport.h"

int topo_allgather_start(const struct topo_allgather *call, const struct topo_plan *plan, enum topo_start start,
                         char *first)
{
    int rank = call->comm->rank;
    int number = topo_virtual(plan, rank);
    if (start == TOPO_START_REORDER || number == rank) {
        if (first != call->own)
            memcpy(first, call->own, call->m);
        return MPI_SUCCESS;
    }
    /* Rank i's block starts at the player of number i; here starts block `number`, which rank `number` has. */
    return topo_sendrecv(call->own, call->m, topo_player(plan, rank), first, call->m, number, call->channel);
}

/* Blocks lie in the order of distance from this virtual number: position j holds
 * the block that belongs to number (number + j) mod n. */
int topo_allgather_bruck_steps(const struct topo_allgather *call, const struct topo_plan *plan, enum topo_start start)
{
    int n = call->comm->ranks, number = topo_virtual(plan, call->comm->rank);
    size_t m = call->m;
    char *blocks = topo_scratch_take((size_t)n * m);
    if (!blocks)
        return MPI_ERR_NO_MEM;
    int code = topo_allgather_start(call, plan, start, blocks);
    for (int held = 1; held < n && code == MPI_SUCCESS; held *= 2) {
        int more = held < n - held ? held : n - held; /* the last step carries what is left */
        int to = topo_player(plan, (number - held + n) % n), from = topo_player(plan, (number + held) % n);
        code = topo_sendrecv(blocks, (size_t)more * m, to, blocks + (size_t)held * m, (size_t)more * m, from,
                             call->channel);
    }
    for (int j = 0; j < n && code == MPI_SUCCESS; j++)
        code = topo_allgather_place(call, topo_block_owner(plan, start, (number + j) % n), blocks + (size_t)j * m);
    topo_scratch_give(blocks);
    return code;
}

/* Position j holds the block that belongs to number j. Where positions are rank
 * numbers and the receive buffer is plain memory, the steps work in it. */
int topo_allgather_doubling_steps(const struct topo_allgather *call, const struct topo_plan *plan,
                                  enum topo_start start)
{
    int n = call->comm->ranks, number = topo_virtual(plan, call->comm->rank);
    size_t m = call->m;
    bool direct = call->receive.contiguous && (!plan || start == TOPO_START_EXCH);
    char *taken = direct ? NULL : topo_scratch_take((size_t)n * m);
    char *blocks = direct ? call->receive.base : taken;
    if (!blocks)
        return MPI_ERR_NO_MEM;
    int code = topo_allgather_start(call, plan, start, blocks + (size_t)number * m);
    for (int held = 1; held < n && code == MPI_SUCCESS; held *= 2) {
        int partner = topo_player(plan, number ^ held);
        size_t mine = (size_t)(number & ~(held - 1)) * m, theirs = (size_t)((number ^ held) & ~(held - 1)) * m;
        code = topo_sendrecv(blocks + mine, (size_t)held * m, partner, blocks + theirs, (size_t)held * m, partner,
                             call->channel);
    }
    for (int j = 0; !direct && j < n && code == MPI_SUCCESS; j++)
        code = topo_allgather_place(call, topo_block_owner(plan, start, j), blocks + (size_t)j * m);
    topo_scratch_give(taken);
    return code;
}
