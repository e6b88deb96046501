#include "coll/gather/gather_bruck.h"

#include <string.h>

#include "coll/gather/gather_direct.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"

int topo_allgather_start(const struct topo_allgather *call, const struct topo_renumbering *renumbering,
                         enum topo_start start, char *first)
{
    int rank = call->comm->rank;
    int number = topo_virtual(renumbering, rank);
    if (start == TOPO_START_REORDER || number == rank) {
        if (first != call->own)
            memcpy(first, call->own, call->m);
        return MPI_SUCCESS;
    }
    /* Rank i's block starts at the rank_at of number i; here starts block `number`, which rank `number` has. */
    return topo_sendrecv(call->own, call->m, topo_rank_at(renumbering, rank), first, call->m, number, call->channel);
}

/* The number of steps is at most the bits of an int. */
enum { STEPS_MAX = 32 };

/* Runs steps block by block: positions are numbers (first_number 0) or distances
 * from this virtual number. The exch start has to be received before it is passed on. */
static int run_direct(const struct topo_allgather *call, const struct topo_renumbering *renumbering,
                      enum topo_start start, const struct topo_step *steps, int step_count, int first_number,
                      int start_at)
{
    int n = call->comm->ranks, code = MPI_SUCCESS;
    int *owner = topo_scratch_take((size_t)n * sizeof *owner);
    bool exchanged = start == TOPO_START_EXCH && topo_virtual(renumbering, call->comm->rank) != call->comm->rank;
    char *first = exchanged ? topo_scratch_take(call->m) : NULL;
    if (!owner || (exchanged && !first)) {
        code = MPI_ERR_NO_MEM;
    } else {
        for (int j = 0; j < n; j++)
            owner[j] = topo_block_owner(renumbering, start, (first_number + j) % n);
        if (exchanged)
            code = topo_allgather_start(call, renumbering, start, first);
        if (code == MPI_SUCCESS)
            code = topo_allgather_direct(call, steps, step_count, owner, start_at, exchanged ? first : call->own);
    }
    topo_scratch_give(first);
    topo_scratch_give(owner);
    return code;
}

/* The steps of blocks that travel together, after a start that went as `code` says. */
static int run_together(const struct topo_allgather *call, const struct topo_step *steps, int step_count, char *blocks,
                        int code)
{
    for (int s = 0; s < step_count && code == MPI_SUCCESS; s++) {
        size_t bytes = (size_t)steps[s].count * call->m;
        code = topo_sendrecv(blocks + (size_t)steps[s].send_at * call->m, bytes, steps[s].to,
                             blocks + (size_t)steps[s].receive_at * call->m, bytes, steps[s].from, call->channel);
    }
    return code;
}

/* Short blocks travel together. Blocks lie in the order of distance from this
 * virtual number: position j holds the block that belongs to number (number + j) mod n. */
static int bruck_together(const struct topo_allgather *call, const struct topo_renumbering *renumbering,
                          enum topo_start start, const struct topo_step *steps, int step_count)
{
    int n = call->comm->ranks, number = topo_virtual(renumbering, call->comm->rank);
    size_t m = call->m;
    char *blocks = topo_scratch_take((size_t)n * m);
    if (!blocks)
        return MPI_ERR_NO_MEM;
    int code = topo_allgather_start(call, renumbering, start, blocks);
    code = run_together(call, steps, step_count, blocks, code);
    for (int j = 0; j < n && code == MPI_SUCCESS; j++)
        code =
            topo_allgather_place(call, topo_block_owner(renumbering, start, (number + j) % n), blocks + (size_t)j * m);
    topo_scratch_give(blocks);
    return code;
}

/* Short blocks travel together. Position j holds the block that belongs to number
 * j; where positions are rank numbers and the receive buffer is plain memory, the
 * steps work in it. */
static int doubling_together(const struct topo_allgather *call, const struct topo_renumbering *renumbering,
                             enum topo_start start, const struct topo_step *steps, int step_count)
{
    int n = call->comm->ranks, number = topo_virtual(renumbering, call->comm->rank);
    size_t m = call->m;
    bool in_buffer = call->receive.contiguous && (!renumbering || start == TOPO_START_EXCH);
    char *taken = in_buffer ? NULL : topo_scratch_take((size_t)n * m);
    char *blocks = in_buffer ? call->receive.base : taken;
    if (!blocks)
        return MPI_ERR_NO_MEM;
    int code = topo_allgather_start(call, renumbering, start, blocks + (size_t)number * m);
    code = run_together(call, steps, step_count, blocks, code);
    for (int j = 0; !in_buffer && j < n && code == MPI_SUCCESS; j++)
        code = topo_allgather_place(call, topo_block_owner(renumbering, start, j), blocks + (size_t)j * m);
    topo_scratch_give(taken);
    return code;
}

static struct topo_step bruck_step(const struct topo_renumbering *renumbering, int n, int number, int held)
{
    return (struct topo_step){
        .to = topo_rank_at(renumbering, (number - held + n) % n),
        .from = topo_rank_at(renumbering, (number + held) % n),
        .receive_at = held,
        .count = held < n - held ? held : n - held, /* the last step carries what is left */
    };
}

static struct topo_step doubling_step(const struct topo_renumbering *renumbering, int number, int held)
{
    int partner = topo_rank_at(renumbering, number ^ held);
    return (struct topo_step){.to = partner,
                              .from = partner,
                              .send_at = number & ~(held - 1),
                              .receive_at = (number ^ held) & ~(held - 1),
                              .count = held};
}

static int run(const struct topo_allgather *call, const struct topo_renumbering *renumbering, enum topo_start start,
               bool doubling)
{
    int n = call->comm->ranks, number = topo_virtual(renumbering, call->comm->rank), count = 0;
    struct topo_step steps[STEPS_MAX];
    for (int held = 1; held < n; held *= 2)
        steps[count++] = doubling ? doubling_step(renumbering, number, held) : bruck_step(renumbering, n, number, held);
    if (topo_allgather_is_direct(call))
        return run_direct(call, renumbering, start, steps, count, doubling ? 0 : number, doubling ? number : 0);
    return (doubling ? doubling_together : bruck_together)(call, renumbering, start, steps, count);
}

int topo_allgather_bruck_steps(const struct topo_allgather *call, const struct topo_renumbering *renumbering,
                               enum topo_start start)
{
    return run(call, renumbering, start, false);
}

int topo_allgather_doubling_steps(const struct topo_allgather *call, const struct topo_renumbering *renumbering,
                                  enum topo_start start)
{
    return run(call, renumbering, start, true);
}
