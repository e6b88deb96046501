/* Reduce-scatter for long vectors: the first half of all-reduce `lanes`. The vector, its parts taken in tree order, has
 * one block for each node, that of its ranks' parts; the ranks of a node put their operands into shared memory, each
 * adds up segments of every block and sends the sums towards the nodes they are for, which hand out what they get
 * (reduction/reduce_lanes.h).
 *
 * Cost: m(1 - 1/N) beta for the link of each of N even nodes, the least there can be (where they are uneven, N - 1
 * times the largest block into its node), plus what the first segments need to get there; inside a node m bytes copied
 * and about m added by each rank meanwhile. */
#include "coll/reduction/reduce_lanes.h"
#include "job/job.h"
#include "coll/reduce_scatter/reduce_scatter.h"
#include "coll/base/scratch.h"

/* The vector of one call in tree order. */
struct in_order {
    struct topo_reduce_lanes_order order;
    size_t *first, *from, *block; /* as in `order` and in struct topo_reduce_lanes_cut */
};

static MPI_Count count_of(const struct topo_reduce_scatter *call, int rank)
{
    return call->counts.at ? topo_counts_of(call->counts, rank) : call->count;
}

/* Parts in tree order, in scratch memory: the block to give back, or NULL. */
static void *put_in_order(const struct topo_reduce_scatter *call, struct in_order *in)
{
    const struct topo_comm *comm = call->comm;
    const struct topo_levels *levels = comm->node->levels;
    size_t n = (size_t)comm->ranks, at = 0;
    in->first = topo_scratch_take((3 * n + 1 + (size_t)levels->nodes + 1) * sizeof *in->first);
    if (!in->first)
        return NULL;
    in->from = in->first + n + 1;
    in->block = in->from + n;
    size_t *by_rank = in->block + levels->nodes + 1;
    for (int rank = 0; rank < comm->ranks; rank++) {
        by_rank[rank] = at;
        at += (size_t)count_of(call, rank);
    }
    in->first[0] = 0;
    for (int position = 0; position < comm->ranks; position++) {
        in->from[position] = by_rank[topo_tree_rank(comm->tree, position)];
        in->first[position + 1] = in->first[position] + (size_t)count_of(call, topo_tree_rank(comm->tree, position));
    }
    for (int node = 0; node <= levels->nodes; node++)
        in->block[node] = in->first[levels->start[node]];
    in->order = (struct topo_reduce_lanes_order){comm->ranks, in->first, in->from};
    return in->first;
}

/* Elements of the node with the most. */
static size_t longest_block(const struct in_order *in, int nodes)
{
    size_t longest = 0;
    for (int node = 0; node < nodes; node++)
        if (longest < in->block[node + 1] - in->block[node])
            longest = in->block[node + 1] - in->block[node];
    return longest;
}

static int run(const struct topo_reduce_scatter *call, const struct topo_vector *vector, const struct in_order *in)
{
    struct topo_comm *comm = call->comm;
    const struct topo_layout *nodes = &comm->layout;
    const size_t *mine = in->first + comm->position;
    const struct topo_reduce_lanes_io io = {.range = {mine[0], mine[1], true},
                                            .order = comm->node->in_order ? NULL : &in->order};
    bool direct;
    if (!topo_reduce_lanes_find_direct(comm, vector->count * vector->size, &direct))
        return MPI_ERR_NO_MEM;
    const struct topo_reduce_scatter_cut scatter = topo_reduce_cut_scatter(
        vector->count * vector->size, longest_block(in, nodes->nodes) * vector->size, nodes->nodes,
        nodes->node_ranks_min, nodes->node_ranks_max, direct, topo_job.oversubscribed);
    const struct topo_reduce_lanes_cut cut = {.blocks = nodes->nodes,
                                              .stripes = scatter.stripes,
                                              .segment = scatter.segment,
                                              .windows = TOPO_REDUCE_WINDOWS,
                                              .pipelined = !topo_job.oversubscribed,
                                              .block = in->block};
    struct topo_reduce_lanes_layout layout;
    if (!topo_reduce_lanes_lay_out(comm, vector, &cut, &layout))
        return topo_comm_declines(comm) ? TOPO_NOT_NOW : topo_reduce_scatter_by_messages(call);
    const struct topo_plan_input plan = {.root = -1, .direct = direct, .scatters = true};
    return topo_reduce_lanes_run(comm, vector, topo_plan_sum_lanes, &plan, &layout, &io);
}

int topo_reduce_scatter_lanes(const struct topo_reduce_scatter *call)
{
    struct topo_vector vector = call->vector;
    struct in_order in;
    void *kept = NULL, *order;
    char *copy;
    int code = MPI_ERR_NO_MEM;
    if (!topo_comm_node(call->comm) || !(order = put_in_order(call, &in)))
        return code;
    /* In place, results of early segments would overwrite operands of late ones. */
    if (!vector.in_place)
        code = run(call, &vector, &in);
    else if (topo_vector_scratch(&vector, vector.count, &kept, &copy) &&
             (code = topo_vector_copy(&vector, vector.input, copy, vector.count)) == MPI_SUCCESS) {
        vector.input = copy;
        vector.in_place = false;
        code = run(call, &vector, &in);
    }
    topo_scratch_give(kept);
    topo_scratch_give(order);
    return code;
}
