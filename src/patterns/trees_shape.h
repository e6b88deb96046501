/* How a vector goes down several trees at a time (trees.h, trees_racks.h): how many of them, and in which segments. */
#ifndef TOPO_PATTERNS_TREES_SHAPE_H
#define TOPO_PATTERNS_TREES_SHAPE_H

#include "patterns/levels.h"
#include "patterns/trees.h"

/* How a vector goes down them. */
struct topo_trees_shape {
    int trees;
    uint64_t segment; /* bytes: a multiple of 64 */
    int window;       /* segments under way on an edge, up to TOPO_TREES_WINDOW_MOST */
    int lead;    /* how many shorter ones come first: those that begin together on an edge end together (pipeline.h) */
    int at_once; /* sends that the root has under way over all edges: as many as are shorter */
    /* Segments of a tree whose sends do not wait for their receivers, between two that do: so a node that is ahead does
     * not fill the memory of others, and a segment does not slow the one before. 0 but in short vectors, as who sends
     * those need not wait, and where ranks share processors, and wait for those more than for links; there after about
     * as many bytes as in a chain. */
    int unawaited;
};

/* For a vector of `bytes` among the nodes of these levels, in racks down two trees. A segment comes `depth` hops after
 * it was sent, each of them a latency and some k segments long, and each segment has an overhead: the trees and the
 * segment that make the sum of both least, of four trees and more where there are as many other nodes: `depth` is that
 * of the deepest node of all trees, which a vector of fewer segments may not reach. Where `given` is not 0, segments of
 * about as many bytes instead. */
struct topo_trees_shape topo_trees_shape(uint64_t bytes, const struct topo_levels *levels, bool oversubscribed,
                                         uint64_t given);

#endif
