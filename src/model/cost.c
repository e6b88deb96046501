#include "model/cost.h"

#include "base/memory.h"
#include "model/cost_parts.h"

static topo_cost_function *const functions[TOPO_ALGORITHM_COUNT] = {
#define COST(operation, name) [TOPO_ALGORITHM_##operation##_##name] = topo_cost_##operation##_##name
    COST(allgather, native),
    COST(allgather, ring),
    COST(allgather, recursive_doubling),
    COST(allgather, recursive_doubling_exch),
    COST(allgather, recursive_doubling_reorder),
    COST(allgather, bruck),
    COST(allgather, bruck_exch),
    COST(allgather, bruck_reorder),
    COST(allgather, leader),
    COST(allgather, radix),
    COST(allgather, lanes),
    COST(allreduce, native),
    COST(allreduce, cyclic),
    COST(allreduce, cyclic_pipelined),
    COST(allreduce, mixed_grid),
    COST(allreduce, recursive_doubling),
    COST(allreduce, recursive_doubling_renumbered),
    COST(allreduce, recursive_halving),
    COST(allreduce, leader),
    COST(allreduce, lanes),
    COST(alltoallv, native),
    COST(alltoallv, direct),
    COST(alltoallv, node_aware),
    COST(alltoallv, drc),
    COST(alltoallv, sdrc),
    COST(alltoallv, ggp),
    COST(alltoallv, css),
    COST(alltoallv, balanced),
    COST(barrier, native),
    COST(barrier, leader),
    COST(bcast, native),
    COST(bcast, leader),
    COST(bcast, chain),
    COST(reduce, native),
    COST(reduce, leader),
    COST(reduce, chain),
    COST(allgatherv, native),
    COST(allgatherv, leader),
    COST(allgatherv, radix),
    COST(allgatherv, lanes),
    COST(alltoall, native),
    COST(alltoall, direct),
    COST(alltoall, node_aware),
    COST(reduce_scatter, native),
    COST(reduce_scatter, leader),
    COST(reduce_scatter, lanes),
    COST(reduce_scatter_block, native),
    COST(reduce_scatter_block, leader),
    COST(reduce_scatter_block, lanes),
#undef COST
};

bool topo_cost_known(enum topo_algorithm_id id)
{
    return (unsigned)id < TOPO_ALGORITHM_COUNT && functions[id];
}

double topo_cost_streams(enum topo_algorithm_id id, int ranks, const int64_t *matrix)
{
    enum topo_operation operation = topo_algorithm(id)->operation;
    switch (id) {
    case TOPO_ALGORITHM_allgather_leader:
    case TOPO_ALGORITHM_allgather_radix:
    case TOPO_ALGORITHM_alltoall_node_aware: return 0;
    case TOPO_ALGORITHM_alltoallv_node_aware: return matrix ? topo_cost_long_share(ranks, matrix) : 0;
    default:
        return operation == TOPO_OPERATION_allgather || operation == TOPO_OPERATION_alltoall ||
               operation == TOPO_OPERATION_alltoallv;
    }
}

/* Virtual number v on node v mod nodes: for n and the nodes powers of two this
 * has the cut of the graph partition. Nodes that are full are passed over. */
static bool deal_over_nodes(const struct topo_tree *tree, int *order)
{
    int level = topo_tree_node_level(tree), nodes = tree->units[level], n = tree->ranks, filled = 0;
    const int *unit = tree->unit + (size_t)level * (size_t)n;
    int *next = topo_alloc((size_t)nodes, sizeof *next);
    if (!next)
        return false;
    /* In tree order a node's ranks follow one another: next[] is the place of its first one. */
    for (int i = n - 1; i >= 0; i--)
        next[unit[tree->order[i]]] = i;
    while (filled < n)
        for (int node = 0; node < nodes; node++)
            if (next[node] < n && unit[tree->order[next[node]]] == node)
                order[filled++] = tree->order[next[node]++];
    topo_free(next);
    return true;
}

double topo_cost(enum topo_algorithm_id id, const struct topo_tree *tree, const struct topo_params *params,
                 const struct topo_cost_call *call)
{
    struct topo_cost_input in = {.tree = tree, .params = params, .call = call, .order = tree->order};
    const struct topo_algorithm *algorithm;
    double seconds = -1;
    int *order = NULL;
    if (!topo_cost_known(id))
        return -1;
    algorithm = topo_algorithm(id);
    if (!topo_algorithm_applies(algorithm, tree->ranks, NULL))
        return -1;
    if (algorithm->graph != TOPO_GRAPH_NONE) {
        in.order = call->pi_inverse;
        if (!in.order) {
            order = topo_alloc((size_t)tree->ranks, sizeof *order);
            if (!order || !deal_over_nodes(tree, order))
                goto out;
            in.order = order;
        }
    }
    if (topo_load_new(tree, params, &in.load, NULL) == TOPO_OK)
        seconds = functions[id](&in);
out:
    topo_load_free(in.load);
    topo_free(order);
    return seconds;
}
