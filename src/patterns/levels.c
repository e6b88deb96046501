#include "patterns/levels.h"

#include <string.h>

#include "base/memory.h"

void topo_levels_free(struct topo_levels *levels)
{
    if (!levels)
        return;
    for (int z = 0; z < levels->count; z++)
        topo_free(levels->level[z].first);
    topo_free_all(levels->level, levels->start, levels->alternating, levels->place, levels);
}

/* Adds the division with the given first nodes as the innermost level, unless it
 * splits nothing that the level before has not split. */
static enum topo_status add_level(struct topo_levels *levels, int units, const int *first)
{
    int before = levels->count ? levels->level[levels->count - 1].units : 1;
    if (units == before)
        return TOPO_OK;
    struct topo_level *grown = topo_realloc(levels->level, (size_t)levels->count + 1, sizeof *grown);
    if (!grown)
        return TOPO_NOMEM;
    levels->level = grown;
    struct topo_level *level = &grown[levels->count++];
    level->units = units;
    level->first = topo_alloc((size_t)units + 1, sizeof *level->first);
    if (!level->first)
        return TOPO_NOMEM;
    memcpy(level->first, first, (size_t)units * sizeof *first);
    level->first[units] = levels->nodes;
    return TOPO_OK;
}

/* Largest power of radix that is below `parts`, 1 at least: splitting into
 * shares of at most this size needs at most `radix` shares. */
static int share_limit(int parts, int radix)
{
    int limit = 1;
    while ((long)limit * radix < parts)
        limit *= radix;
    return limit;
}

static bool splits_evenly(int parts, int radix)
{
    for (int limit = share_limit(parts, radix); limit >= 1; limit /= radix) {
        int shares = (parts + limit - 1) / limit;
        if (parts % shares)
            return false;
        parts /= shares;
    }
    return true;
}

static int splits(int parts, int radix)
{
    int count = 1;
    for (int limit = share_limit(parts, radix); limit > 1; limit /= radix)
        count++;
    return count;
}

/* The largest radix, `most` at most, that splits `parts` evenly in as few levels; `most` where none does. Where shares
 * are uneven the nodes of small ones send to several others, which wait for them: by 5, 64 nodes are 4 x 4 x 4 and not
 * 3 shares of 21 or 22, of 4 or 5 each. */
static int even_radix(int parts, int most)
{
    for (int radix = most; radix > 1 && splits(parts, radix) == splits(parts, most); radix--)
        if (splits_evenly(parts, radix))
            return radix;
    return most;
}

/* Adds the tree level whose units begin at the nodes inner[0..parts-1], with
 * levels in between where a unit of the level before splits into more than `radix`. */
static enum topo_status add_split(struct topo_levels *levels, int radix, int parts, const int *inner)
{
    enum topo_status status = TOPO_OK;
    TOPO_SCOPED int *first = topo_alloc((size_t)parts, sizeof *first);
    int widest = 1, narrowest = parts, units;
    if (!first)
        return TOPO_NOMEM;
    for (int z = levels->count - 1, unit = 0, part = 0; part < parts; unit++) {
        int end = z < 0 ? levels->nodes : levels->level[z].first[unit + 1], begin = part;
        while (part < parts && inner[part] < end)
            part++;
        widest = part - begin > widest ? part - begin : widest;
        narrowest = part - begin < narrowest ? part - begin : narrowest;
    }
    if (radix && narrowest == widest)
        radix = even_radix(widest, radix);
    for (int limit = radix ? share_limit(widest, radix) : 1; limit >= 1 && status == TOPO_OK;
         limit = limit == 1 ? 0 : limit / radix) {
        units = 0;
        for (int z = levels->count - 1, unit = 0, part = 0; part < parts; unit++) {
            int end = z < 0 ? levels->nodes : levels->level[z].first[unit + 1], begin = part;
            while (part < parts && inner[part] < end)
                part++;
            int inside = part - begin, shares = (inside + limit - 1) / limit;
            for (int share = 0; share < shares; share++)
                first[units++] = inner[begin + (int)((long)inside * share / shares)];
        }
        status = add_level(levels, units, first);
    }
    return status;
}

/* Of the units first .. end - 1 one node after the other, each from the next unit, as long as it has any. `nodes` has
 * the nodes of each unit in the unit's order. */
static void alternate(const struct topo_level *level, int first, int end, const int *nodes, int *alternating)
{
    int start = level->first[first], all = level->first[end] - start, count = 0;
    for (int i = 0; count < all; i++)
        for (int unit = first; unit < end; unit++)
            if (i < topo_unit_size(level, unit))
                alternating[start + count++] = nodes[level->first[unit] + i];
}

/* Innermost units first; those of the last level are single nodes. */
static enum topo_status find_alternating(struct topo_levels *levels)
{
    size_t bytes = (size_t)levels->nodes * sizeof *levels->place;
    if (levels->count < 2)
        return TOPO_OK;
    levels->alternating = topo_alloc((size_t)levels->nodes, sizeof *levels->alternating);
    levels->place = topo_alloc((size_t)levels->nodes, sizeof *levels->place);
    if (!levels->alternating || !levels->place)
        return TOPO_NOMEM;
    for (int node = 0; node < levels->nodes; node++)
        levels->alternating[node] = node;
    for (int z = levels->count - 2; z >= 0; z--) {
        int *before = memcpy(levels->place, levels->alternating, bytes);
        for (int node = 0; node < levels->nodes;) {
            struct topo_group group = topo_group_of(levels, z, node);
            alternate(&levels->level[z], group.first, group.first + group.count, before, levels->alternating);
            node = levels->level[z].first[group.first + group.count];
        }
    }
    for (int i = 0; i < levels->nodes; i++)
        levels->place[levels->alternating[i]] = i;
    return TOPO_OK;
}

enum topo_status topo_levels_new(const struct topo_tree *tree, int radix, struct topo_levels **out)
{
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = topo_calloc(1, sizeof *levels);
    int node_level = topo_tree_node_level(tree), nodes = tree->units[node_level];
    TOPO_SCOPED int *inner = topo_alloc((size_t)nodes, sizeof *inner);
    enum topo_status status = TOPO_OK;

    *out = NULL;
    if (!levels || !inner)
        return TOPO_NOMEM;
    levels->nodes = nodes;
    levels->start = topo_alloc((size_t)nodes + 1, sizeof *levels->start);
    if (!levels->start)
        return TOPO_NOMEM;
    levels->start[nodes] = tree->ranks;
    for (int at = tree->ranks - 1; at >= 0; at--)
        levels->start[topo_tree_unit(tree, node_level, topo_tree_rank(tree, at))] = at;
    levels->ranks_least = tree->ranks;
    for (int node = 0; node < nodes; node++) {
        int ranks = topo_node_ranks(levels, node);
        levels->ranks_least = ranks < levels->ranks_least ? ranks : levels->ranks_least;
        levels->ranks_most = ranks > levels->ranks_most ? ranks : levels->ranks_most;
    }
    for (int z = 0; z <= node_level && status == TOPO_OK; z++) {
        int parts = 0;
        for (int node = 0; node < nodes; node++)
            if (node == 0 || topo_tree_unit(tree, z, topo_tree_rank(tree, levels->start[node])) !=
                                 topo_tree_unit(tree, z, topo_tree_rank(tree, levels->start[node - 1])))
                inner[parts++] = node;
        status = add_split(levels, radix, parts, inner);
    }
    if (status == TOPO_OK && radix == 0)
        status = find_alternating(levels);
    if (status == TOPO_OK)
        *out = TOPO_KEPT(levels);
    return status;
}

int topo_levels_number(const struct topo_levels *levels, int root, int node)
{
    int number = levels->place ? levels->place[node] - levels->place[root] : node - root;
    return number < 0 ? number + levels->nodes : number;
}

int topo_levels_numbered(const struct topo_levels *levels, int root, int number)
{
    int from = levels->place ? levels->place[root] : root, room = levels->nodes - from,
        at = number < room ? from + number : number - room;
    return levels->alternating ? levels->alternating[at] : at;
}

struct topo_group topo_group_of(const struct topo_levels *levels, int level, int node)
{
    const struct topo_level *here = &levels->level[level];
    int begin = 0, end = levels->nodes;
    if (level > 0) {
        const struct topo_level *outer = here - 1;
        int unit = topo_unit_of(outer, node);
        begin = outer->first[unit];
        end = outer->first[unit + 1];
    }
    struct topo_group group;
    group.first = topo_unit_of(here, begin);
    group.count = topo_unit_of(here, end - 1) - group.first + 1;
    group.mine = topo_unit_of(here, node) - group.first;
    return group;
}
