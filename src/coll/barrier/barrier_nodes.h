/* What the barriers share: ranks of a node meet in shared memory, its first rank meets those of other nodes. */
#ifndef TOPO_COLL_BARRIER_BARRIER_NODES_H
#define TOPO_COLL_BARRIER_BARRIER_NODES_H

#include "comm/comm.h"

/* What the first rank of each node does when all ranks of its node are there, where there are several nodes: returns
 * when all nodes are there. `how` is what topo_barrier_nodes() was given. */
typedef int topo_barrier_meet(const struct topo_comm *comm, const void *how);

/* Collective, after topo_comm_node(). Returns an MPI error code, on each rank its own; whatever went wrong, nobody is
 * kept waiting. */
int topo_barrier_nodes(struct topo_comm *comm, topo_barrier_meet *meet, const void *how);

/* The rank that meets others for `node`. */
static inline int topo_barrier_driver(const struct topo_comm *comm, int node)
{
    return topo_tree_rank(comm->tree, comm->node->levels->start[node]);
}

#endif
