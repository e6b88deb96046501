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

void topo_allreduce_steps_stripe(struct topo_allreduce_steps *steps, const struct topo_stripes *stripes, int place,
                                 int stripe, struct topo_block whole)
{
    int node = topo_stripes_node(stripes, place), member = place - stripes->first[node], nodes = stripes->nodes;
    int size = topo_stripes_members(stripes, node), owner = topo_stripes_owner(stripes, node, stripe);
    struct topo_block part = topo_block_of(whole, stripes->stripes, stripe);
    unsigned input = TOPO_ALLREDUCE_STEP_SENDS_INPUT | TOPO_ALLREDUCE_STEP_MEETS_INPUT;
    if (member != owner) {
        topo_allreduce_steps_send(steps, topo_stripes_member(stripes, node, owner), part,
                                  TOPO_ALLREDUCE_STEP_SENDS_INPUT);
        topo_allreduce_steps_receive(steps, topo_stripes_member(stripes, node, owner), part, 0);
        return;
    }
    for (int i = 1; i < size; i++) {
        topo_allreduce_steps_receive(steps, topo_stripes_member(stripes, node, (owner + i) % size), part,
                                     TOPO_ALLREDUCE_STEP_ADD |
                                         (i == 1 ? (unsigned)TOPO_ALLREDUCE_STEP_MEETS_INPUT : 0));
        input = 0;
    }
    int to = topo_stripes_rank(stripes, (node + 1) % nodes, stripe);
    int from = topo_stripes_rank(stripes, (node + nodes - 1) % nodes, stripe);
    topo_allreduce_steps_ring(steps, nodes, node, to, from, part, TOPO_ALLREDUCE_STEP_ADD | input);
    topo_allreduce_steps_ring(steps, nodes, node, to, from, part, 0);
    int complete = steps->count;
    for (int i = 1; i < size; i++) {
        topo_allreduce_steps_send(steps, topo_stripes_member(stripes, node, (owner + i) % size), part, 0);
        if (!steps->failed)
            steps->list[steps->count - 1].after = complete;
    }
}
