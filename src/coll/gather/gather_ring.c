/* Ring allgather (docs/REFERENCES.md, Mapping 4) along the ranks in tree order, or by their numbers.
 *
 * Blocks of different lengths travel the same way, but for those of no bytes.
 *
 * Cost: (n-1)(alpha + m beta). In tree order each step puts one message of m bytes on
 * each node's link in each direction, whatever the placement. */
#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "coll/gather/gather.h"

/* Receives that are posted ahead. A block is passed on as soon as it is there, whatever the links of other levels are
 * at, and at any number of ranks only so many requests are looked at. */
enum { AHEAD = 32 };

struct run {
    const struct topo_allgather *call;
    const struct topo_numbers *order; /* of the ranks along the ring; NULL: their numbers */
    int at, left, right;              /* this rank's place in the ring, and its neighbours there */
    char *packed;                     /* two blocks in turn, where the receive buffer cannot hold blocks as bytes */
    size_t longest;
    MPI_Request receives[AHEAD], sends[AHEAD];
};

/* The rank at a place of the ring, 0 <= place < 2n. */
static int rank_at(const struct run *run, int place)
{
    int n = run->call->comm->ranks;
    place = place < n ? place : place - n;
    return run->order ? topo_numbers_at(run->order, place) : place;
}

/* Step k sends block k and receives block k + 1: that of the rank k + 1 places to the left, and where it goes. */
static int owner_of(const struct run *run, int block)
{
    return rank_at(run, run->at + run->call->comm->ranks - block);
}

static struct topo_data place_of(const struct run *run, int block)
{
    struct topo_data data = topo_allgather_block(run->call, owner_of(run, block));
    if (run->packed)
        data.base = run->packed + (size_t)(block % 2) * run->longest;
    return data;
}

static int start_receive(struct run *run, int step)
{
    struct topo_data block = place_of(run, step + 1);
    return block.bytes > 0
               ? topo_irecv(block.base, block.bytes, run->left, run->call->channel, &run->receives[step % AHEAD])
               : MPI_SUCCESS;
}

static int start_send(struct run *run, int step)
{
    struct topo_data block = place_of(run, step);
    const char *from = step > 0 ? block.base : run->call->own;
    return block.bytes > 0 ? topo_isend(from, block.bytes, run->right, run->call->channel, &run->sends[step % AHEAD])
                           : MPI_SUCCESS;
}

/* Steps from 0 on, `ahead` receives at a time. No rank waits for ever: of all ranks take one that has received least.
 * Its left neighbour has received as many blocks, so it sends the next one once its own send of AHEAD steps before is
 * over, whose receive has ended here. */
static int run_steps(struct run *run, int steps, int ahead)
{
    int code = MPI_SUCCESS;
    for (int step = 0; step < ahead && step < steps && code == MPI_SUCCESS; step++)
        code = start_receive(run, step);
    for (int step = 0; step < steps && code == MPI_SUCCESS; step++) {
        MPI_Request *send = &run->sends[step % AHEAD], *receive = &run->receives[step % AHEAD];
        if ((code = PMPI_Wait(send, MPI_STATUS_IGNORE)) != MPI_SUCCESS ||
            (code = start_send(run, step)) != MPI_SUCCESS ||
            (code = PMPI_Wait(receive, MPI_STATUS_IGNORE)) != MPI_SUCCESS)
            break;
        if (run->packed) /* the next block comes to where this one is sent from */
            code = topo_first_error(
                PMPI_Wait(send, MPI_STATUS_IGNORE),
                topo_allgather_place(run->call, owner_of(run, step + 1), place_of(run, step + 1).base));
        if (code == MPI_SUCCESS && step + ahead < steps)
            code = start_receive(run, step + ahead);
    }
    return topo_first_error(code, PMPI_Waitall(AHEAD, run->sends, MPI_STATUSES_IGNORE));
}

static int ring(const struct topo_allgather *call, const struct topo_numbers *order, int at)
{
    int n = call->comm->ranks;
    struct run run = {.call = call, .order = order, .at = at, .longest = topo_allgather_longest(call)};
    run.left = rank_at(&run, at + n - 1);
    run.right = rank_at(&run, at + 1);
    for (int i = 0; i < AHEAD; i++)
        run.receives[i] = run.sends[i] = MPI_REQUEST_NULL;
    if (!call->receive.contiguous && !(run.packed = topo_scratch_take(2 * run.longest)))
        return MPI_ERR_NO_MEM;
    int code = topo_allgather_place(call, call->comm->rank, call->own);
    if (code == MPI_SUCCESS)
        code = run_steps(&run, n - 1, run.packed ? 1 : AHEAD);
    topo_scratch_give(run.packed);
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
