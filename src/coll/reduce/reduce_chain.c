/* Reduce for long vectors: piece by piece the ranks of a node add up their operands in
 * shared memory, each a part of the vector, and send the sum along a chain of nodes to the
 * root's (topo_sums_collect(), coll/reduction/reduce_lanes.h), so that network, adding and
 * copying overlap and every link carries the vector once. Only the root waits for the sum;
 * another rank leaves when its operands are in place and what it drives was sent.
 *
 * Cost: with p pieces of b bytes and n nodes, (p + n - 2) (alpha + b beta), plus, inside a
 * node, one copy and the additions shared out among its ranks, beside them. */
#include "coll/reduction/reduce_lanes.h"
#include "coll/reduce/reduce.h"
#include "patterns/reduce_plan.h"

/* This rank's part in a vector cut into `slices`; that of the last root is kept. NULL when memory is out. */
static const struct topo_sums *sums_to(const struct topo_comm *comm, int root, int slices)
{
    struct topo_shared *shared = comm->shared;
    int node = topo_tree_node_of(comm->tree, root);
    if (shared->chain && (shared->chain->slices != slices || shared->chain_root != node)) {
        topo_sums_free(shared->chain);
        shared->chain = NULL;
    }
    shared->chain_root = node;
    if (!shared->chain)
        topo_sums_collect(shared->levels, node, shared->node, shared->local, slices, &shared->chain);
    return shared->chain;
}

int topo_reduce_chain(const struct topo_reduce *call)
{
    struct topo_comm *comm = call->comm;
    const struct topo_vector *vector = &call->vector;
    const struct topo_layout *nodes = &comm->layout;
    struct topo_lanes_cut cut = {
        .blocks = 1,
        .slices = topo_sums_chain_slices(vector->count * vector->size, nodes->nodes, nodes->node_ranks_max),
        .piece = TOPO_SUMS_CHAIN_PIECE};
    struct topo_lanes_layout layout;
    if (!topo_shared_of(comm))
        return MPI_ERR_NO_MEM;
    if (!topo_lanes_lay_out(comm, vector, &cut, &layout))
        return topo_comm_declines(comm) ? TOPO_NOT_NOW : topo_reduce_by_messages(call);
    const struct topo_sums *sums = sums_to(comm, call->root, layout.slices);
    const struct topo_lanes_hand hand = {.share.end = comm->rank == call->root ? vector->count : 0};
    return sums ? topo_lanes_run(comm, vector, sums, &layout, &hand) : MPI_ERR_NO_MEM;
}
