#include "select/select.h"

#include "base/memory.h"
#include "select/tuning.h"

enum topo_status topo_layout_of(const struct topo_tree *tree, struct topo_layout *layout)
{
    int level = topo_tree_node_level(tree);
    int nodes = tree->units[level];
    int *sizes = topo_alloc((size_t)nodes, sizeof *sizes);
    if (!sizes)
        return TOPO_NOMEM;
    topo_tree_unit_sizes(tree, level, sizes);
    layout->ranks = tree->ranks;
    layout->nodes = nodes;
    layout->node_ranks_min = layout->node_ranks_max = sizes[0];
    for (int node = 1; node < nodes; node++) {
        if (sizes[node] < layout->node_ranks_min)
            layout->node_ranks_min = sizes[node];
        if (sizes[node] > layout->node_ranks_max)
            layout->node_ranks_max = sizes[node];
    }
    layout->by_slot = topo_tree_is_consecutive(tree, level);
    topo_free(sizes);
    return TOPO_OK;
}

/* Measured on emulated clusters of 4x4 and 7/5/3/1 ranks at 1 Gbit/s, by slot and
 * by node (tests/cluster/compare repeats it). Below LONG few messages per link
 * count: one leader a node where nodes are even, the radix form, whose ranks share
 * the messages, where one node has most of them. From LONG on all ranks of a node
 * drive its link. */
enum { ALLGATHER_LONG = 8192 };

static enum topo_algorithm_id allgather(const struct topo_layout *layout, size_t bytes)
{
    bool even = layout->node_ranks_min == layout->node_ranks_max;
    if (layout->nodes < 2 || layout->node_ranks_max < 2)
        return TOPO_ALGORITHM_allgather_native;
    if (bytes >= ALLGATHER_LONG)
        return TOPO_ALGORITHM_allgather_lanes;
    return even ? TOPO_ALGORITHM_allgather_leader : TOPO_ALGORITHM_allgather_radix;
}

/* Measured likewise, and on one node alone with 2, 4 and 16 ranks (docs/LEVELS.md,
 * figures): below LONG few messages and hand-overs count, from LONG on the bytes
 * through each node's link and memory, in which placement makes no difference.
 * Between two nodes both forms carry the same bytes. */
enum { ALLREDUCE_LONG = 16384, ALLREDUCE_LONG_PAIR = 131072 };

static enum topo_algorithm_id allreduce(const struct topo_layout *layout, size_t bytes)
{
    if (layout->node_ranks_max < 2)
        return TOPO_ALGORITHM_allreduce_native;
    size_t from = layout->nodes == 2 ? ALLREDUCE_LONG_PAIR : ALLREDUCE_LONG;
    return bytes >= from ? TOPO_ALGORITHM_allreduce_lanes : TOPO_ALGORITHM_allreduce_leader;
}

/* Mean bytes from a rank to another. Below LONG the number of messages on a node's
 * link counts; above it what remains is not to let too many long ones fly at once
 * (docs/ALLTOALLV.md has the figures). */
enum { ALLTOALLV_LONG = 4096 };

static enum topo_algorithm_id alltoallv(const struct topo_layout *layout, size_t bytes)
{
    if (layout->nodes < 2 || layout->node_ranks_max < 2)
        return TOPO_ALGORITHM_alltoallv_native;
    return bytes < ALLTOALLV_LONG ? TOPO_ALGORITHM_alltoallv_node_aware : TOPO_ALGORITHM_alltoallv_direct;
}

const struct topo_algorithm *topo_select(const struct topo_tuning *tuning, enum topo_operation operation,
                                         const struct topo_layout *layout, size_t bytes)
{
    const struct topo_rule *rule = topo_tuning_find(tuning, operation, layout, bytes);
    if (rule)
        return rule->algorithm;
    switch (operation) {
    case TOPO_OPERATION_allgather: return topo_algorithm(allgather(layout, bytes));
    case TOPO_OPERATION_allreduce: return topo_algorithm(allreduce(layout, bytes));
    case TOPO_OPERATION_alltoallv: return topo_algorithm(alltoallv(layout, bytes));
    default: return topo_algorithm_native(operation);
    }
}
