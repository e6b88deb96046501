/* A vector that goes through all nodes, one after the other, to the root's, as the sums of a reduction do, or from it.
 *
 * The chain goes through the nodes in their order, but each unit that the root is in comes after all others of its
 * group: so every unit is left once, and the root's node is the last one. Of 2 racks of 3 nodes and root 1 the chain is
 * 3 4 5 0 2 1.
 *
 * Divided, its last node is the root of a tree: what is before that node is cut into two parts, at the outermost border
 * of units there is and as near to the middle as can be, and the last node of each, the root of a tree of its own, is
 * below it; what is one unit stays whole, as one sum leaves it. So the example is 1 (5 (3, 4), 2 (0)). A node passes
 * two copies of a vector on, or adds two sums to its own, but the tree is as deep as the logarithm of the nodes.
 */
#ifndef TOPO_PATTERNS_CHAIN_H
#define TOPO_PATTERNS_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "patterns/levels.h"

/* Where a node stands: the nodes next to it. */
struct topo_chain_place {
    int parent; /* towards the root; -1 there */
    int children, child[2];
};

/* Errors: TOPO_NOMEM. */
enum topo_status topo_chain_place(const struct topo_levels *levels, int root, int node, bool divided,
                                  struct topo_chain_place *place);

/* Whether a broadcast of `bytes` is divided: in a deep chain, while a second copy on a node's link takes less time than
 * the latencies of all nodes do (trees.h). */
bool topo_chain_is_divided(size_t bytes, int nodes, bool oversubscribed);

/* Segments that a vector waits for on its way, as topo_pipeline_of() takes them: of the nodes that pass it on each. */
int topo_chain_passed(int nodes, bool divided);

/* Hops between the root's node and the farthest one; where units divide a chain about as many. */
int topo_chain_depth(int nodes, bool divided);

#endif
