#include "model/cost.h"

#include "base/memory.h"
#include "model/cost_parts.h"

/* Indexed by id. */
static topo_cost_function *const functions[] = {
#define ALGORITHM(operation, name, ...) topo_cost_##operation##_##name,
#include "catalog/algorithms.def"
};

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
    const struct topo_numbers *unit = &tree->unit[level];
    TOPO_SCOPED int *next = topo_alloc((size_t)nodes, sizeof *next);
    if (!next)
        return false;
    /* In tree order a node's ranks follow one another: next[] is the place of its first one. */
    for (int i = n - 1; i >= 0; i--)
        next[topo_numbers_at(unit, topo_tree_rank(tree, i))] = i;
    while (filled < n)
        for (int node = 0; node < nodes; node++)
            if (next[node] < n && topo_numbers_at(unit, topo_tree_rank(tree, next[node])) == node)
                order[filled++] = topo_tree_rank(tree, next[node]++);
    return true;
}

double topo_cost(enum topo_algorithm_id id, const struct topo_tree *tree, const struct topo_params *params,
                 const struct topo_cost_call *call)
{
    struct topo_cost_input in = {.tree = tree, .params = params, .call = call, .order = &tree->order};
    const struct topo_algorithm *algorithm;
    double seconds = -1;
    TOPO_SCOPED int *order = NULL;
    struct topo_numbers plays;
    if ((unsigned)id >= TOPO_ALGORITHM_COUNT)
        return -1;
    algorithm = topo_algorithm(id);
    if (!topo_algorithm_applies(algorithm, tree->ranks, NULL))
        return -1;
    if (algorithm->graph != TOPO_GRAPH_NONE) {
        if (!call->pi_inverse) {
            order = topo_alloc((size_t)tree->ranks, sizeof *order);
            if (!order || !deal_over_nodes(tree, order))
                goto out;
        }
        plays = topo_numbers_view(call->pi_inverse ? call->pi_inverse : order, tree->ranks);
        in.order = &plays;
    }
    if (topo_load_new(tree, params, &in.load, NULL) == TOPO_OK)
        seconds = functions[id](&in);
out:
    topo_load_free(in.load);
    return seconds;
}

double topo_cost_of(const struct topo_algorithm *algorithm, const struct topo_tree *tree,
                    const struct topo_params *params, const struct topo_cost_call *call)
{
    struct topo_cost_call its = *call;
    its.parameters = algorithm->parameters;
    return topo_cost(algorithm->id, tree, params, &its);
}
