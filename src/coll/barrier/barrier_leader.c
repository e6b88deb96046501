/* Barrier: an all-reduce of nothing (coll/allreduce/allreduce_leader.c). The ranks of a node
 * raise a counter in shared memory, one of them exchanges empty messages with one
 * rank of every other node, level by level, and lets the others go.
 *
 * Cost: ceil(log2 N) (alpha + o) for N nodes where levels are even, o the processor's
 * time for a message, plus two hand-overs inside the node, one where there is a
 * single node. Radix 2 has more rounds than 4 and fewer messages: on 4 nodes it was
 * never slower than native, radix 4 was in 2 of 6 runs (docs/LEVELS.md). */
#include "node/shm_buffer.h"
#include "coll/barrier/barrier.h"
#include "coll/node_steps.h"
#include "coll/scratch.h"
#include "coll/transport.h"

enum { RADIX = 2 };

/* The rounds of this node, on its first rank. */
static int exchange(const struct topo_comm *comm, const struct topo_rounds *rounds, MPI_Request *request)
{
    const struct topo_shared *shared = comm->shared;
    int code = MPI_SUCCESS;
    for (int r = 0; r < rounds->count && code == MPI_SUCCESS; r++) {
        const struct topo_round *round = &rounds->round[r];
        int all = round->receives + round->sends, started = 0;
        for (int i = 0; i < all && code == MPI_SUCCESS; i++, started += code == MPI_SUCCESS) {
            bool in = i < round->receives;
            int message = in ? round->receive + i : round->send + i - round->receives;
            int peer = comm->order[shared->levels->start[rounds->message[message].node]];
            code = in ? topo_irecv(NULL, 0, peer, &comm->channel, &request[started])
                      : topo_isend(NULL, 0, peer, &comm->channel, &request[started]);
        }
        int waited = PMPI_Waitall(started, request, MPI_STATUSES_IGNORE);
        if (code == MPI_SUCCESS)
            code = waited;
    }
    return code;
}

/* Without shared memory the first rank of each node hears from the others and lets them go by messages. */
static int with_messages(const struct topo_comm *comm, const struct topo_rounds *rounds, MPI_Request *request)
{
    const struct topo_shared *shared = comm->shared;
    const int *members = comm->order + shared->levels->start[shared->node];
    const struct topo_channel *channel = &comm->channel;
    int code = MPI_SUCCESS;
    if (shared->local > 0) {
        code = topo_send(NULL, 0, members[0], channel);
        return code == MPI_SUCCESS ? topo_recv(NULL, 0, members[0], channel) : code;
    }
    for (int i = 1; i < shared->ranks && code == MPI_SUCCESS; i++)
        code = topo_recv(NULL, 0, members[i], channel);
    if (code == MPI_SUCCESS)
        code = exchange(comm, rounds, request);
    for (int i = 1; i < shared->ranks && code == MPI_SUCCESS; i++)
        code = topo_send(NULL, 0, members[i], channel);
    return code;
}

int topo_barrier_leader(struct topo_comm *comm)
{
    const struct topo_shared *shared = topo_shared_of(comm);
    const struct topo_rounds *rounds = shared ? topo_rounds_of(comm, TOPO_ROUNDS_BARRIER, RADIX) : NULL;
    struct topo_area area;
    MPI_Request *request = NULL;
    bool several = comm->layout.nodes > 1;
    int code = MPI_SUCCESS;
    if (!rounds)
        return MPI_ERR_NO_MEM;
    if (several && shared->local == 0) {
        request = topo_scratch_take((size_t)topo_rounds_requests(rounds) * sizeof *request);
        if (!request)
            return MPI_ERR_NO_MEM;
    }
    if (topo_area_open(&area, comm, 0, several ? 1 : 0)) {
        topo_area_arrive(&area);
        if (several && shared->local == 0) {
            topo_area_wait_arrived(&area);
            code = exchange(comm, rounds, request);
            /* Whatever went wrong here, the others must get on. */
            topo_area_add(&area, 1);
        }
        topo_area_close(&area);
    } else {
        comm->layout.shares = false; /* found by all ranks alike: `auto` takes other forms from now on */
        code = with_messages(comm, rounds, request);
    }
    topo_scratch_give(request);
    return code;
}
