/* All-reduce for long vectors: the ranks of a node put their operands into shared
 * memory, each adds up its part of the vector and exchanges it with the ranks of
 * the other nodes that have the same part (plan/sum_lanes.c), and all copy the result
 * out of shared memory, segment by segment as it comes (reduction/reduce_lanes.c).
 *
 * Cost: 2m(1 - 1/N) beta for the link of each of N nodes, the least there can be,
 * plus what the first segments need to get there and back; inside a node with p ranks
 * 2m bytes copied and about m added by each rank meanwhile. */
#include "coll/allreduce/allreduce.h"
#include "coll/reduction/reduce_lanes.h"
#include "job/job.h"

int topo_allreduce_lanes(const struct topo_allreduce *call)
{
    struct topo_comm *comm = call->comm;
    const struct topo_vector *vector = &call->vector;
    const struct topo_layout *nodes = &comm->layout;
    size_t bytes = vector->count * vector->size;
    struct topo_reduce_lanes_layout layout;
    const struct topo_reduce_lanes_io io = {.range.end = vector->count};
    bool direct;
    if (!topo_comm_node(comm) || !topo_reduce_lanes_find_direct(comm, bytes, &direct))
        return MPI_ERR_NO_MEM;
    int stripes = topo_reduce_cut_stripes(bytes, nodes->nodes, nodes->node_ranks_max, direct);
    struct topo_reduce_lanes_cut cut = {.blocks = nodes->nodes,
                                        .stripes = stripes,
                                        .segment = topo_reduce_cut_segment(bytes, nodes->nodes, nodes->node_ranks_max,
                                                                           stripes, topo_job.oversubscribed),
                                        .windows = TOPO_REDUCE_WINDOWS,
                                        .pipelined = !topo_job.oversubscribed};
    if (!topo_reduce_lanes_lay_out(comm, vector, &cut, &layout))
        return topo_comm_declines(comm) ? TOPO_NOT_NOW
                                        : topo_allreduce_by_ranks(call, TOPO_ALGORITHM_allreduce_recursive_halving);
    const struct topo_plan_input in = {.root = -1, .direct = direct};
    return topo_reduce_lanes_run(comm, vector, topo_plan_sum_lanes, &in, &layout, &io);
}
