/* Barrier: an all-reduce of nothing (coll/allreduce/allreduce_leader.c). The ranks of a node
 * raise a counter in shared memory, one of them exchanges empty messages with one
 * rank of every other node, level by level, and lets the others go.
 *
 * Cost: ceil(log2 N) (alpha + o) for N nodes where levels are even, o the processor's
 * time for a message, plus two hand-overs inside the node, one where there is a
 * single node. Radix 2 has more steps than 4 and fewer messages: on 4 nodes it was
 * never slower than native, radix 4 was in 2 of 6 runs (docs/LEVELS.md). */
#include "node/shm_buffer.h"
#include "coll/barrier/barrier.h"
#include "coll/base/node_steps.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "patterns/limits.h"

/* The steps of this node, on its first rank. */
static int exchange(const struct topo_comm *comm, const struct topo_node_steps *steps, MPI_Request *request)
{
    const struct topo_node *node = comm->node;
    int code = MPI_SUCCESS;
    for (int r = 0; r < steps->count && code == MPI_SUCCESS; r++) {
        const struct topo_node_step *step = &steps->step[r];
        int all = step->receives + step->sends, started = 0;
        for (int i = 0; i < all && code == MPI_SUCCESS; i++, started += code == MPI_SUCCESS) {
            bool in = i < step->receives;
            int message = in ? step->receive + i : step->send + i - step->receives;
            int peer = comm->order[node->levels->start[steps->message[message].node]];
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
static int with_messages(const struct topo_comm *comm, const struct topo_node_steps *steps, MPI_Request *request)
{
    const struct topo_node *node = comm->node;
    const int *members = comm->order + node->levels->start[node->index];
    const struct topo_channel *channel = &comm->channel;
    int code = MPI_SUCCESS;
    if (node->local > 0) {
        code = topo_send(NULL, 0, members[0], channel);
        return code == MPI_SUCCESS ? topo_recv(NULL, 0, members[0], channel) : code;
    }
    for (int i = 1; i < node->ranks && code == MPI_SUCCESS; i++)
        code = topo_recv(NULL, 0, members[i], channel);
    if (code == MPI_SUCCESS)
        code = exchange(comm, steps, request);
    for (int i = 1; i < node->ranks && code == MPI_SUCCESS; i++)
        code = topo_send(NULL, 0, members[i], channel);
    return code;
}

int topo_barrier_leader(struct topo_comm *comm)
{
    const struct topo_node *node = topo_comm_node(comm);
    const struct topo_node_steps *steps =
        node ? topo_node_steps_of(comm, TOPO_NODE_STEPS_BARRIER, TOPO_BARRIER_RADIX) : NULL;
    struct topo_shm_buffer buffer;
    MPI_Request *request = NULL;
    bool several = comm->layout.nodes > 1;
    int code = MPI_SUCCESS;
    if (!steps)
        return MPI_ERR_NO_MEM;
    if (several && node->local == 0) {
        request = topo_scratch_take((size_t)topo_node_steps_requests(steps) * sizeof *request);
        if (!request)
            return MPI_ERR_NO_MEM;
    }
    if (topo_shm_buffer_open(&buffer, comm->node, 0, several ? 1 : 0)) {
        topo_shm_buffer_arrive(&buffer);
        if (several && node->local == 0) {
            topo_shm_buffer_wait_arrived(&buffer);
            code = exchange(comm, steps, request);
            /* Whatever went wrong here, the others must get on. */
            topo_shm_buffer_add(&buffer, 1);
        }
        topo_shm_buffer_close(&buffer);
    } else {
        topo_comm_lacks_shm(comm); /* found by all ranks alike: `auto` takes other forms from now on */
        code = with_messages(comm, steps, request);
    }
    topo_scratch_give(request);
    return code;
}
