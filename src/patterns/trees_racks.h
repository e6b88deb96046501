/* Two trees (trees.h) of nodes in racks, whose uplink carries the vector once in and once out, as every node's link
 * does: a tree enters each rack once, at a head of its own, comes from there to the other nodes of the rack and to its
 * head of the next rack. Racks follow each other from the root's on, so a segment is through after as many hops as
 * there are racks and the trees inside the last one are deep.
 *
 * A tree has half of the vector, so a node's link carries the vector once where the node passes on one tree to two
 * nodes, or each tree to one. A head passes its own tree on to the next rack and to one node, and is a leaf of the
 * other tree. From the heads on the other nodes of a rack are two trees as in trees.h; these have two places to spare,
 * which the heads take, each as a leaf of the other's tree. The root sends half of the vector to each head of its rack,
 * to which it does not belong itself; where it is alone there, to the heads of the next one.
 *
 * Example: 2 racks of 5 nodes, the root is 0; "1: 3 5" means that 1 passes on to 3 and 5.
 *
 *     tree 0     0: 1     1: 5 3     3: 4 2     5: 7     7: 8 9     9: 6
 *     tree 1     0: 2     2: 6 4     4: 3 1     6: 8     8: 7 9     9: 5
 */
#ifndef TOPO_PATTERNS_TREES_RACKS_H
#define TOPO_PATTERNS_TREES_RACKS_H

#include "patterns/levels.h"
#include "patterns/trees.h"

/* What `node` does in up to `trees` trees from `root`, with nodes numbered by topo_levels_number(): through racks,
 * where there are any and `trees` is 2, else as topo_trees_make(). */
void topo_trees_find(const struct topo_levels *levels, int root, int node, int trees, struct topo_trees *to);

/* Hops from the root to the farthest node, at most; through racks one more than there are, at times. */
int topo_trees_hops(const struct topo_levels *levels, int trees);

#endif
