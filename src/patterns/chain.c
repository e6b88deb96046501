#include "patterns/chain.h"

#include <stdlib.h>

#include "patterns/limits.h"

/* The nodes in the chain's order: chain[levels->nodes]. */
static void lay_out(const struct topo_levels *levels, int root, int *chain)
{
    int at = 0, begin = 0, end = levels->nodes;
    for (int z = 0; z < levels->count; z++) {
        const struct topo_level *level = &levels->level[z];
        int unit = topo_unit_of(level, root);
        for (int node = begin; node < end; node++)
            if (!topo_unit_has(level, unit, node))
                chain[at++] = node;
        begin = level->first[unit];
        end = level->first[unit + 1];
    }
    chain[at] = root;
}

/* Where chain[first .. end - 1], which is below chain[end], is divided: at the outermost level that divides it, as near
 * to the middle as can be; `end` where it is one unit that chain[end] is not in, which has one sum to give. */
static int find_middle(const struct topo_levels *levels, const int *chain, int first, int end)
{
    int middle = first + (end - first + 1) / 2, best = end;
    int outermost = first < end ? topo_levels_parting(levels, chain[end - 1], chain[end]) : 0;
    for (int at = first + 1; at < end; at++) {
        int level = topo_levels_parting(levels, chain[at - 1], chain[at]);
        if (level > outermost || (level == outermost && best < end && abs(at - middle) >= abs(best - middle)))
            continue;
        outermost = level;
        best = at;
    }
    return best;
}

/* Of the tree over a part of the chain its last node is the root. */
static void place_in_tree(const struct topo_levels *levels, const int *chain, int at, struct topo_chain_place *place)
{
    int first = 0, end = levels->nodes, middle = find_middle(levels, chain, first, end - 1);
    while (at != end - 1) {
        place->parent = chain[end - 1];
        if (at < middle) {
            end = middle;
        } else {
            first = middle;
            end--;
        }
        middle = find_middle(levels, chain, first, end - 1);
    }
    if (first < end - 1)
        place->child[place->children++] = chain[middle - 1];
    if (middle < end - 1)
        place->child[place->children++] = chain[end - 2];
}

enum topo_status topo_chain_place(const struct topo_levels *levels, int root, int node, bool divided,
                                  struct topo_chain_place *place)
{
    TOPO_SCOPED int *chain = topo_alloc((size_t)levels->nodes, sizeof *chain);
    int at = 0;
    *place = (struct topo_chain_place){.parent = -1};
    if (!chain)
        return TOPO_NOMEM;
    lay_out(levels, root, chain);
    while (chain[at] != node)
        at++;
    if (divided) {
        place_in_tree(levels, chain, at, place);
    } else {
        if (at + 1 < levels->nodes)
            place->parent = chain[at + 1];
        if (at > 0)
            place->child[place->children++] = chain[at - 1];
    }
    return TOPO_OK;
}

int topo_chain_depth(int nodes, bool divided)
{
    int depth = 0;
    while (nodes >> (depth + 1) > 0)
        depth++;
    return divided ? depth : nodes - 1;
}

bool topo_chain_is_divided(size_t bytes, int nodes, bool oversubscribed)
{
    enum { FEW = 8 };
    return nodes > FEW && !oversubscribed && bytes / (size_t)nodes < TOPO_LATENCY_OF_TREES;
}

int topo_chain_passed(int nodes, bool divided)
{
    int passed = topo_chain_depth(nodes, divided) - 1;
    return divided ? 2 * passed : passed;
}
