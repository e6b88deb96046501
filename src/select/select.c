#include "select/select.h"

#include "base/memory.h"

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

/* Blocks up to this go by Bruck's few large messages, longer ones by the ring,
 * whose every step puts one block on each link. */
enum { ALLGATHER_RING_BYTES = 32768 };

const struct topo_algorithm *topo_select(enum topo_operation operation, const struct topo_layout *layout, size_t bytes)
{
    enum topo_algorithm_id id = TOPO_ALGORITHM_allgather_native;
    switch (operation) {
    case TOPO_OPERATION_allgather:
        if (layout->nodes > 1 && layout->node_ranks_max > 1)
            id = bytes < ALLGATHER_RING_BYTES ? TOPO_ALGORITHM_allgather_bruck_reorder : TOPO_ALGORITHM_allgather_ring;
        break;
    default: break;
    }
    return topo_algorithm(id);
}
