/* Few messages, one source: how data of one node reaches all others. Outermost
 * level first, the node that has it in a group sends it to one node of every other
 * unit: after topo_levels_new() with radix r at most r - 1 messages of a node a
 * level, and each unit of each level is entered once. */
#ifndef TOPO_PATTERNS_BCAST_TREE_H
#define TOPO_PATTERNS_BCAST_TREE_H

#include "patterns/levels.h"

/* The node of `unit` that has the data once the exchange of its group is over, when `holder` had it before. */
int topo_bcast_tree_holder(const struct topo_level *level, int unit, int holder);

/* Where `node` gets the data of node `root` from; *level (may be NULL) is the level
 * of that exchange. -1 for both when node is root. */
int topo_bcast_tree_from(const struct topo_levels *levels, int root, int node, int *level);

/* The nodes that `node` sends it to, in this order; returns their number.
 * to[topo_bcast_tree_most()]. */
int topo_bcast_tree_to(const struct topo_levels *levels, int root, int node, int *to);

/* The most that one node sends, whichever is the root. */
int topo_bcast_tree_most(const struct topo_levels *levels);

#endif
