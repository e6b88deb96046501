/* Broadcasts through node-shared memory. The inter-node tree is given as two
 * callbacks, `from` (the parent of a node) and `to` (its children). */
#ifndef TOPO_COLL_BCAST_BCAST_PIPELINE_H
#define TOPO_COLL_BCAST_BCAST_PIPELINE_H

#include "coll/bcast/bcast.h"
#include "patterns/chain.h"
#include "patterns/levels.h"
#include "patterns/pipeline.h"

/* The inter-node tree of one call; nodes are numbered as in `levels`. */
struct topo_bcast_tree {
    const struct topo_levels *levels;
    /* The parent of `node`, which is this rank's; not called for the root's node. */
    int (*from)(const struct topo_bcast_tree *tree, int root, int node);
    /* The children of `node` in to[most]; returns how many. */
    int (*to)(const struct topo_bcast_tree *tree, int root, int node, int *to);
    int most;
    const struct topo_chain_place *place; /* of this node, in a chain */
    struct topo_pipeline cut; /* the vector's segments */
};

/* Runs the broadcast in segments. One rank of each node (the root, or the first rank)
 * receives a segment, sends it to the children and copies it into node-shared memory;
 * without that memory it sends it to the ranks of its node. Returns an MPI error code. */
int topo_bcast_pipeline(const struct topo_bcast *call, const struct topo_bcast_tree *tree);

#endif
