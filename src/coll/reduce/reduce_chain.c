/* Reduce for long vectors: segment by segment the ranks of a node add up their operands in
 * shared memory, each a part of the vector, and send the sum along a chain of nodes to the
 * root's (plan/sum_lanes.c, coll/reduction/reduce_lanes.h), so that network, adding and
 * copying overlap and every link carries the vector once. Only the root waits for the sum;
 * another rank leaves when its operands are in place and what it drives was sent.
 *
 * Cost: with p segments of b bytes and n nodes, (p + n - 2) (alpha + b beta), plus, inside a
 * node, one copy and the additions shared out among its ranks, beside them. Among many nodes segments go
 * up several trees, of depth d, instead: p b beta + d (alpha + b beta); in racks the chain is divided
 * where these are many hops for the vector: (p + log2 n - 1) (alpha + 2 b beta). */
#include "coll/reduction/reduce_lanes.h"
#include "coll/reduce/reduce.h"
#include "job/job.h"

/* How this vector is cut; programs have one of a length time and again, and the search takes up to 0.6 us. */
static const struct topo_reduce_chain_cut *cut_of(const struct topo_comm *comm, const struct topo_vector *vector)
{
    struct topo_node *node = comm->node;
    size_t bytes = vector->count * vector->size, given = comm->call.parameters.segment;
    if (node->chain_cut.stripes == 0 || node->chain_bytes != bytes || node->chain_given != given) {
        node->chain_cut =
            topo_reduce_cut_chain(bytes, node->levels, comm->layout.node_ranks_max, topo_job.oversubscribed, given);
        node->chain_bytes = bytes;
        node->chain_given = given;
    }
    return &node->chain_cut;
}

int topo_reduce_chain(const struct topo_reduce *call)
{
    struct topo_comm *comm = call->comm;
    const struct topo_vector *vector = &call->vector;
    if (!topo_comm_node(comm))
        return MPI_ERR_NO_MEM;
    const struct topo_reduce_chain_cut *chain = cut_of(comm, vector);
    struct topo_reduce_lanes_cut cut = {.blocks = 1,
                                        .stripes = chain->stripes,
                                        .segment = chain->segment,
                                        .windows = chain->windows,
                                        .ahead = chain->ahead,
                                        .leads = chain->ahead > 0 && comm->layout.nodes > 2,
                                        .pipelined = chain->pipelined};
    struct topo_reduce_lanes_layout layout;
    if (!topo_reduce_lanes_lay_out(comm, vector, &cut, &layout))
        return topo_comm_declines(comm) ? TOPO_NOT_NOW : topo_reduce_by_messages(call);
    const struct topo_plan_input in = {.root = call->root, .trees = chain->trees};
    const struct topo_reduce_lanes_io io = {.range = topo_reduce_range(call)};
    return topo_reduce_lanes_run(comm, vector, topo_plan_reduce_chain, &in, &layout, &io);
}
