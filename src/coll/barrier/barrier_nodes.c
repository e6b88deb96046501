#include "coll/barrier/barrier_nodes.h"

#include "coll/base/transport.h"
#include "node/shm_buffer.h"

/* Without shared memory the first rank of each node hears from the others and lets them go by messages. */
static int with_messages(const struct topo_comm *comm, topo_barrier_meet *meet, const void *how)
{
    const struct topo_node *node = comm->node;
    const struct topo_channel *channel = &comm->channel;
    int code = MPI_SUCCESS;
    if (node->local > 0) {
        code = topo_send(NULL, 0, topo_node_member(node, 0), channel);
        return code == MPI_SUCCESS ? topo_recv(NULL, 0, topo_node_member(node, 0), channel) : code;
    }
    for (int i = 1; i < node->ranks && code == MPI_SUCCESS; i++)
        code = topo_recv(NULL, 0, topo_node_member(node, i), channel);
    if (code == MPI_SUCCESS && comm->layout.nodes > 1)
        code = meet(comm, how);
    for (int i = 1; i < node->ranks && code == MPI_SUCCESS; i++)
        code = topo_send(NULL, 0, topo_node_member(node, i), channel);
    return code;
}

int topo_barrier_nodes(struct topo_comm *comm, topo_barrier_meet *meet, const void *how)
{
    struct topo_shm_buffer buffer;
    const bool several = comm->layout.nodes > 1;
    int code = MPI_SUCCESS;
    if (!topo_shm_buffer_open(&buffer, comm->node, 0, several ? 1 : 0)) {
        topo_comm_lacks_shm(comm); /* found by all ranks alike: `auto` takes other forms from now on */
        return with_messages(comm, meet, how);
    }
    topo_shm_buffer_arrive(&buffer);
    if (several && comm->node->local == 0) {
        topo_shm_buffer_wait_arrived(&buffer);
        code = meet(comm, how);
        /* Whatever went wrong here, the others must get on. */
        topo_shm_buffer_add(&buffer, 1);
    }
    topo_shm_buffer_close(&buffer);
    return code;
}
