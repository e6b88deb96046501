/* Barrier: an all-reduce of nothing (coll/allreduce/allreduce_leader.c). The ranks of a node
 * raise a counter in shared memory, one of them exchanges empty messages with one
 * rank of every other node, level by level, and lets the others go.
 *
 * Cost: ceil(log2 N) (alpha + o) for N nodes where levels are even, o the processor's
 * time for a message, plus two hand-overs inside the node, one where there is a
 * single node. Radix 2 has more steps than 4 and fewer messages: on 4 nodes it was
 * never slower than native, radix 4 was in 2 of 6 runs (docs/LEVELS.md). */
#include "coll/barrier/barrier.h"
#include "coll/barrier/barrier_nodes.h"
#include "coll/base/node_steps.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "patterns/limits.h"

struct exchange {
    const struct topo_node_steps *steps; /* of this node */
    MPI_Request *request;                /* for the most messages of a step */
};

static int exchange(const struct topo_comm *comm, const void *how)
{
    const struct exchange *own = how;
    int code = MPI_SUCCESS;
    for (int r = 0; r < own->steps->count && code == MPI_SUCCESS; r++) {
        const struct topo_node_step *step = &own->steps->step[r];
        int all = step->receives + step->sends, started = 0;
        for (int i = 0; i < all && code == MPI_SUCCESS; i++, started += code == MPI_SUCCESS) {
            bool in = i < step->receives;
            int message = in ? step->receive + i : step->send + i - step->receives;
            int peer = topo_barrier_driver(comm, own->steps->message[message].node);
            code = in ? topo_irecv(NULL, 0, peer, &comm->channel, &own->request[started])
                      : topo_isend(NULL, 0, peer, &comm->channel, &own->request[started]);
        }
        int waited = PMPI_Waitall(started, own->request, MPI_STATUSES_IGNORE);
        if (code == MPI_SUCCESS)
            code = waited;
    }
    return code;
}

int topo_barrier_leader(struct topo_comm *comm)
{
    const struct topo_node *node = topo_comm_node(comm);
    const int radix = topo_given(comm->call.parameters.radix, TOPO_BARRIER_RADIX);
    struct exchange own = {node ? topo_node_steps_of(comm, TOPO_NODE_STEPS_BARRIER, radix) : NULL, NULL};
    if (!own.steps)
        return MPI_ERR_NO_MEM;
    if (comm->layout.nodes > 1 && node->local == 0) {
        own.request = topo_scratch_take((size_t)topo_node_steps_requests(own.steps) * sizeof *own.request);
        if (!own.request)
            return MPI_ERR_NO_MEM;
    }
    int code = topo_barrier_nodes(comm, exchange, &own);
    topo_scratch_give(own.request);
    return code;
}
