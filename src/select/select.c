#include "select/select.h"

#include "base/memory.h"
#include "select/shipped.h"
#include "select/tuning.h"

enum topo_status topo_layout_of(const struct topo_tree *tree, struct topo_layout *layout)
{
    int level = topo_tree_node_level(tree);
    int nodes = tree->units[level];
    TOPO_SCOPED int *sizes = topo_alloc((size_t)nodes, sizeof *sizes);
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
    layout->has_racks = level > 0;
    layout->has_shm = layout->has_processors = true;
    return TOPO_OK;
}

const struct topo_rule *topo_select_rule(const struct topo_tuning *tuning, enum topo_operation operation,
                                         const struct topo_layout *layout, size_t bytes)
{
    double link = topo_tuning_link(tuning, layout);
    const struct topo_rule *rule = tuning ? topo_tuning_first(tuning, operation, layout, bytes, link) : NULL;
    const struct topo_tuning *shipped = tuning && tuning->shipped ? tuning->shipped : topo_shipped();
    return rule || !shipped ? rule : topo_tuning_first(shipped, operation, layout, bytes, link);
}

const struct topo_algorithm *topo_select(const struct topo_tuning *tuning, enum topo_operation operation,
                                         const struct topo_layout *layout, size_t bytes)
{
    const struct topo_rule *rule = topo_select_rule(tuning, operation, layout, bytes);
    return rule ? rule->algorithm : topo_algorithm_native(operation);
}
