/* Many bytes: how the block of every node travels to every other, piece by piece
 * (topo_levels_new() with radix 0: the tree's own levels).
 *
 * Each block enters each unit of each level once: on every level it runs along
 * the units of the group, from the node that has it to the nodes that serve the
 * same lane, and from there into the unit. So the bytes through every link, a
 * node's or a switch's, are as few as can be (docs/REFERENCES.md, Bounds 1: (N-1) p m
 * into a node), nodes send and receive all the time, and levels overlap. The same
 * paths backwards add up: partial sums flow to the block's own node. */
#ifndef TOPO_PATTERNS_PATHS_H
#define TOPO_PATTERNS_PATHS_H

#include "base/memory.h"
#include "patterns/levels.h"

/* How blocks pass along the units of one group. */
enum topo_path_kind {
    TOPO_PATH_RING,  /* from one unit to the next: each link carries one stream */
    TOPO_PATH_TREE,  /* among more than TOPO_RADIX units along the binomial tree of Bruck's algorithm, alike from each
                        unit, among others as a ring (docs/REFERENCES.md, Node exchanges 8): few hops */
    TOPO_PATH_DIRECT /* from the first holder to each: one step */
};

/* The part of one node. For the block of node o: it comes from node from[o] (-1
 * for o itself) after hops[o] messages and goes on to the nodes to[first_to[o]]
 * .. to[first_to[o + 1] - 1], outermost level first. */
struct topo_paths {
    int nodes;
    int *from, *hops, *first_to, *to;
};

/* Free *paths with topo_paths_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_paths_new(const struct topo_levels *levels, int node, enum topo_path_kind kind,
                                struct topo_paths **paths);

/* The busiest node, and how many blocks it sends along direct paths, each as often as to other nodes: *most is `nodes`
 * - 1 where all units of a level have equally many nodes, as each node serves as many lanes then; of uneven ones some
 * nodes send more. Errors: TOPO_NOMEM. */
enum topo_status topo_paths_most(const struct topo_levels *levels, int *most, int *busiest);

/* NULL is harmless. */
void topo_paths_free(struct topo_paths *paths);
TOPO_SCOPED_TYPE(topo_paths)

#endif
