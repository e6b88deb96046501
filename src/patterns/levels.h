/* The nodes of a communicator as groups inside groups: who talks to whom, level
 * by level, is derived from this (node_steps.h for short messages, paths.h for long
 * ones). What happens inside a node is not part of it.
 *
 * Nodes are numbered as the units of the tree's NODE level, so the nodes of a
 * unit of any level are consecutive, and the ranks of a node are consecutive in
 * tree order (topo_tree_order()). A rank's place in that order is its position. */
#ifndef TOPO_PATTERNS_LEVELS_H
#define TOPO_PATTERNS_LEVELS_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/search.h"
#include "base/status.h"
#include "machine/tree.h"

/* The radix of exchanges of few messages: more parts save steps and cost messages,
 * each of which takes a processor's time (docs/LEVELS.md, short messages). */
enum { TOPO_RADIX = 4 };

/* The same where a step costs more than the message of one rank: a barrier along a tree. */
enum { TOPO_WIDE_RADIX = 16 };

/* Parts of at least `least` bytes: 1 to `most`. */
static inline int topo_parts_of(size_t bytes, size_t least, int most)
{
    size_t parts = bytes / least;
    return parts < 1 ? 1 : parts < (size_t)most ? (int)parts : most;
}

/* One division of the nodes, finer than the one before. */
struct topo_level {
    int units;
    int *first; /* [units + 1] first node of each unit; then the number of nodes */
};

struct topo_levels {
    int nodes;
    int *start;                  /* [nodes + 1] node u has the positions start[u] .. start[u + 1] - 1 */
    int ranks_least, ranks_most; /* of the smallest and of the largest node */
    int count;                   /* 0 when there is one node */
    /* Outermost first: units of level 0 are what all nodes split into, units of
     * the last level are single nodes. Every level splits something. */
    struct topo_level *level;
    /* The nodes in an order in which units alternate, the outermost ones from node to node, and each node's place in
     * it; NULL: their own order, where there are no such units, or levels were made with a radix. */
    int *alternating, *place;
};

/* From the tree's levels down to NODE. With `radix` >= 2 a unit with more than
 * `radix` parts gets levels in between, in even shares, as few as possible, so
 * that no unit splits into more than `radix` parts, or into fewer where that makes
 * shares equal in as few levels; 0: the tree's levels as they are. Free *levels
 * with topo_levels_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_levels_new(const struct topo_tree *tree, int radix, struct topo_levels **levels);

/* NULL is harmless. */
void topo_levels_free(struct topo_levels *levels);
TOPO_SCOPED_TYPE(topo_levels)

/* The units of `level` inside the unit of the next outer level that holds
 * `node`: `count` of them, from number `first` on; the node is in the mine-th. */
struct topo_group {
    int first, count, mine;
};
struct topo_group topo_group_of(const struct topo_levels *levels, int level, int node);

/* Nodes in a unit. */
static inline int topo_unit_size(const struct topo_level *level, int unit)
{
    return level->first[unit + 1] - level->first[unit];
}

/* The unit of a node. */
static inline int topo_unit_of(const struct topo_level *level, int node)
{
    return topo_search_interval(level->first, level->units, node);
}

/* True when `node` is in the unit. */
static inline bool topo_unit_has(const struct topo_level *level, int unit, int node)
{
    return level->first[unit] <= node && node < level->first[unit + 1];
}

/* The level at which nodes a and b, which differ, part: the outermost whose units differ. */
static inline int topo_levels_parting(const struct topo_levels *levels, int a, int b)
{
    int level = 0;
    while (topo_unit_has(&levels->level[level], topo_unit_of(&levels->level[level], a), b))
        level++;
    return level;
}

/* The number of a node, counted from `root` in the order in which units alternate, and the node that has a number. */
int topo_levels_number(const struct topo_levels *levels, int root, int node);
int topo_levels_numbered(const struct topo_levels *levels, int root, int number);

/* Units that are joined exchange over lanes, as many as the largest of them has
 * nodes; lane l of a unit is served by its node l mod size. */
static inline int topo_gather_lane_node(const struct topo_level *level, int unit, int lane)
{
    return level->first[unit] + lane % topo_unit_size(level, unit);
}

/* The node of a position. */
static inline int topo_levels_node(const struct topo_levels *levels, int position)
{
    return topo_search_interval(levels->start, levels->nodes, position);
}

/* Ranks of a node. */
static inline int topo_node_ranks(const struct topo_levels *levels, int node)
{
    return levels->start[node + 1] - levels->start[node];
}

#endif
