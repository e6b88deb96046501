#include "patterns/bcast_tree.h"

#include <stddef.h>

int topo_bcast_tree_holder(const struct topo_level *level, int unit, int holder)
{
    int from = topo_unit_of(level, holder);
    return unit == from ? holder : topo_gather_lane_node(level, unit, holder - level->first[from]);
}

int topo_bcast_tree_from(const struct topo_levels *levels, int root, int node, int *level)
{
    int holder = root;
    for (int l = 0; l < levels->count; l++) {
        int before = holder;
        holder = topo_bcast_tree_holder(&levels->level[l], topo_unit_of(&levels->level[l], node), before);
        if (holder == node && before != node) {
            if (level)
                *level = l;
            return before;
        }
    }
    if (level)
        *level = -1;
    return -1;
}

int topo_bcast_tree_to(const struct topo_levels *levels, int root, int node, int *to)
{
    int holder = root, count = 0;
    for (int l = 0; l < levels->count; l++) {
        const struct topo_level *here = &levels->level[l];
        struct topo_group group = topo_group_of(levels, l, node);
        for (int k = 1; k < group.count && holder == node; k++)
            to[count++] = topo_bcast_tree_holder(here, group.first + (group.mine + k) % group.count, holder);
        holder = topo_bcast_tree_holder(here, topo_unit_of(here, node), holder);
    }
    return count;
}

int topo_bcast_tree_most(const struct topo_levels *levels)
{
    int sum = 0;
    for (int l = 0; l < levels->count; l++) {
        int most = 0;
        for (int node = 0; node < levels->nodes;
             node = levels->level[l].first[topo_unit_of(&levels->level[l], node) + 1]) {
            int count = topo_group_of(levels, l, node).count;
            most = count > most ? count : most;
        }
        sum += most - 1;
    }
    return sum;
}
