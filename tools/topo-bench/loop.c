#include "topo-bench/loop.h"

#include "base/memory.h"

enum { TAG = 40 };

const char *bench_loop_sync_word(enum bench_loop_sync sync)
{
    static const char *const words[BENCH_LOOP_SYNCS] = {"none", "send", "sendrecv"};
    return words[sync];
}

struct loop {
    const struct bench_blocks *blocks;
    bool from_self;
    int rank, ranks;
    MPI_Comm comm;
    MPI_Request *request; /* [2 * ranks] */
    int count;
};

static int receive_from(const struct loop *loop, int k)
{
    return loop->from_self ? (loop->rank + loop->ranks - k) % loop->ranks : k;
}

static int send_to(const struct loop *loop, int k)
{
    return loop->from_self ? (loop->rank + k) % loop->ranks : k;
}

static int start_receive(struct loop *loop, int k)
{
    const struct bench_side *side = &loop->blocks->receive;
    int peer = receive_from(loop, k);
    if (!side->count[peer])
        return MPI_SUCCESS;
    return PMPI_Irecv(side->memory + side->at[peer], side->count[peer], loop->blocks->type, peer, TAG, loop->comm,
                      &loop->request[loop->count++]);
}

static int start_send(struct loop *loop, int k)
{
    const struct bench_side *side = &loop->blocks->send;
    int peer = send_to(loop, k);
    if (!side->count[peer])
        return MPI_SUCCESS;
    return PMPI_Isend(side->memory + side->at[peer], side->count[peer], loop->blocks->type, peer, TAG, loop->comm,
                      &loop->request[loop->count++]);
}

/* Waits for what was started from `first` on. */
static int wait_from(struct loop *loop, int first)
{
    int count = loop->count - first;
    loop->count = first;
    return count > 0 ? PMPI_Waitall(count, loop->request + first, MPI_STATUSES_IGNORE) : MPI_SUCCESS;
}

int bench_loop_run(const struct bench_blocks *blocks, bool from_self, enum bench_loop_sync sync, MPI_Comm comm)
{
    struct loop loop = {.blocks = blocks, .from_self = from_self, .comm = comm};
    int code = MPI_SUCCESS;
    PMPI_Comm_rank(comm, &loop.rank);
    PMPI_Comm_size(comm, &loop.ranks);
    loop.request = topo_alloc(2 * (size_t)loop.ranks, sizeof *loop.request);
    if (!loop.request)
        return MPI_ERR_NO_MEM;
    for (int k = 0; k < loop.ranks && code == MPI_SUCCESS && sync != BENCH_LOOP_SENDRECV; k++)
        code = start_receive(&loop, k);
    for (int k = 0; k < loop.ranks && code == MPI_SUCCESS; k++) {
        int first = loop.count;
        if (sync == BENCH_LOOP_SENDRECV)
            code = start_receive(&loop, k);
        if (code == MPI_SUCCESS)
            code = start_send(&loop, k);
        if (code == MPI_SUCCESS && sync != BENCH_LOOP_NONE)
            code = wait_from(&loop, first);
    }
    int waited = wait_from(&loop, 0);
    topo_free(loop.request);
    return code != MPI_SUCCESS ? code : waited;
}
