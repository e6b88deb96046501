/* Broadcasts through node-shared memory: from whom a node gets the bytes and to
 * whom it gives them is the way; the rest is the same for all. */
#ifndef TOPO_COLL_BCAST_BCAST_PIPELINE_H
#define TOPO_COLL_BCAST_BCAST_PIPELINE_H

#include "coll/bcast/bcast.h"
#include "patterns/levels.h"

/* The way of one call: nodes are numbered as in `levels`. */
struct topo_bcast_tree {
    const struct topo_levels *levels;
    /* Which node `node` gets the bytes from; not asked of the root's. */
    int (*from)(const struct topo_levels *levels, int root, int node);
    /* Which nodes it gives them to; returns how many. to[most]. */
    int (*to)(const struct topo_levels *levels, int root, int node, int *to);
    int most;
};

/* Runs it: segment by segment, one rank of each node (the root, or the first) gets the
 * segments, gives them on and puts them into memory that its node shares; where
 * there is none it sends them. Returns an MPI error code. */
int topo_bcast_pipeline(const struct topo_bcast *call, const struct topo_bcast_tree *tree);

#endif
