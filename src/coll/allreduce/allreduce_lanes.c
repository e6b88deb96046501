/* All-reduce for long vectors: the ranks of a node put their operands into shared
 * memory, each adds up its part of the vector and exchanges it with the ranks of
 * the other nodes that have the same part (patterns/reduce_plan.h), and all copy the result
 * out of shared memory, piece by piece as it comes (reduction/reduce_lanes.c).
 *
 * Cost: 2m(1 - 1/N) beta for the link of each of N nodes, the least there can be,
 * plus what the first pieces need to get there and back; inside a node with p ranks
 * 2m bytes copied and about m added by each rank meanwhile. */
#include "coll/allreduce/allreduce.h"
#include "coll/reduction/reduce_lanes.h"

const struct topo_sums *topo_lanes_sums(const struct topo_comm *comm, int slices)
{
    struct topo_shared *shared = comm->shared;
    struct topo_levels *levels = NULL;
    if (shared->sums && shared->sums->slices == slices)
        return shared->sums;
    topo_sums_free(shared->sums);
    shared->sums = NULL;
    /* The radix of the short form: it gives the same bits. */
    if (topo_levels_new(comm->tree, TOPO_RADIX, &levels) == TOPO_OK)
        topo_sums_new(levels, shared->node, shared->local, slices, &shared->sums);
    topo_levels_free(levels);
    return shared->sums;
}

int topo_allreduce_lanes(const struct topo_allreduce *call)
{
    struct topo_comm *comm = call->comm;
    const struct topo_vector *vector = &call->vector;
    const struct topo_layout *nodes = &comm->layout;
    size_t bytes = vector->count * vector->size;
    struct topo_lanes_layout layout;
    const struct topo_lanes_hand hand = {.share.end = vector->count, .returns = true};
    struct topo_lanes_cut cut = {.blocks = nodes->nodes,
                                 .slices = topo_sums_slices(bytes, nodes->nodes, nodes->node_ranks_max),
                                 .piece = TOPO_LANES_PIECE};
    if (!topo_shared_of(comm))
        return MPI_ERR_NO_MEM;
    if (!topo_lanes_lay_out(comm, vector, &cut, &layout))
        return topo_comm_declines(comm) ? TOPO_NOT_NOW : topo_allreduce_recursive_halving(call);
    const struct topo_sums *sums = topo_lanes_sums(comm, layout.slices);
    return sums ? topo_lanes_run(comm, vector, sums, &layout, &hand) : MPI_ERR_NO_MEM;
}
