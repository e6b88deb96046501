#include "patterns/stripes.h"

#include "base/memory.h"
#include "base/search.h"

enum topo_status topo_stripes_of(const struct topo_tree *tree, struct topo_stripes *stripes)
{
    int level = topo_tree_node_level(tree), nodes = tree->units[level];
    stripes->nodes = nodes;
    stripes->stripes = 0;
    stripes->rank_at = &tree->order;
    stripes->first = topo_alloc((size_t)nodes + 1, sizeof *stripes->first);
    if (!stripes->first)
        return TOPO_NOMEM;
    topo_tree_unit_sizes(tree, level, stripes->first);
    for (int node = 0, start = 0; node <= nodes; node++) {
        int size = node < nodes ? stripes->first[node] : 0;
        if (size > stripes->stripes)
            stripes->stripes = size;
        stripes->first[node] = start;
        start += size;
    }
    return TOPO_OK;
}

void topo_stripes_free(struct topo_stripes *stripes)
{
    topo_free(stripes->first);
    stripes->first = NULL;
}

int topo_stripes_members(const struct topo_stripes *stripes, int node)
{
    return stripes->first[node + 1] - stripes->first[node];
}

int topo_stripes_owner(const struct topo_stripes *stripes, int node, int stripe)
{
    return stripe % topo_stripes_members(stripes, node);
}

int topo_stripes_rank(const struct topo_stripes *stripes, int node, int stripe)
{
    return topo_stripes_member(stripes, node, topo_stripes_owner(stripes, node, stripe));
}

int topo_stripes_node(const struct topo_stripes *stripes, int place)
{
    return topo_search_interval(stripes->first, stripes->nodes, place);
}
