/* Barrier along a tree of nodes: the ranks of a node raise a counter in shared memory; one of them hears from the nodes
 * below its own, tells the node above, and on that one's word lets the others go and tells the nodes below. The tree is
 * that of a broadcast from the first node (patterns/bcast_tree.h).
 *
 * Cost: 2 ceil(log_r N) alpha + 2 (N - 1) o for N nodes in parts of at most r, o the processor's time for a message,
 * plus two hand-overs inside the node. That is twice the steps of `leader` and, from 5 nodes on, fewer messages than
 * its N log2 N: the better one where processors are shared, or short of time. */
#include "coll/barrier/barrier.h"
#include "coll/barrier/barrier_nodes.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "patterns/bcast_tree.h"

struct place {
    int above;            /* node; -1: the tree's root */
    int belows, *below;   /* nodes */
    MPI_Request *request; /* [belows] */
};

static int meet(const struct topo_comm *comm, const void *how)
{
    const struct place *own = how;
    const struct topo_channel *channel = &comm->channel;
    int code = MPI_SUCCESS, started = 0;
    for (; started < own->belows && code == MPI_SUCCESS; started += code == MPI_SUCCESS)
        code = topo_irecv(NULL, 0, topo_barrier_driver(comm, own->below[started]), channel, &own->request[started]);
    int waited = PMPI_Waitall(started, own->request, MPI_STATUSES_IGNORE);
    code = code == MPI_SUCCESS ? waited : code;
    if (own->above >= 0) {
        int driver = topo_barrier_driver(comm, own->above);
        code = code == MPI_SUCCESS ? topo_send(NULL, 0, driver, channel) : code;
        code = code == MPI_SUCCESS ? topo_recv(NULL, 0, driver, channel) : code;
    }
    for (int i = 0; i < own->belows && code == MPI_SUCCESS; i++)
        code = topo_send(NULL, 0, topo_barrier_driver(comm, own->below[i]), channel);
    return code;
}

int topo_barrier_tree(struct topo_comm *comm)
{
    const int radix = topo_given(comm->call.parameters.radix, TOPO_WIDE_RADIX);
    const struct topo_levels *levels = topo_comm_node(comm) ? topo_node_levels(comm->node, radix) : NULL;
    struct place own = {-1, 0, NULL, NULL};
    if (!levels)
        return MPI_ERR_NO_MEM;
    if (comm->layout.nodes > 1 && comm->node->local == 0) {
        size_t most = (size_t)topo_bcast_tree_most(levels);
        own.request = topo_scratch_take(most * (sizeof *own.request + sizeof *own.below));
        if (!own.request)
            return MPI_ERR_NO_MEM;
        own.below = (int *)(own.request + most);
        own.above = topo_bcast_tree_from(levels, 0, comm->node->index, NULL);
        own.belows = topo_bcast_tree_to(levels, 0, comm->node->index, own.below);
    }
    int code = topo_barrier_nodes(comm, meet, &own);
    topo_scratch_give(own.request);
    return code;
}
