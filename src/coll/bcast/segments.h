/* A broadcast cut into segments that one rank of each node, the root or the first one, receives from other nodes and
 * gives to the ranks of its own through shared memory: what `circulant` and `trees` have in common. */
#ifndef TOPO_COLL_BCAST_SEGMENTS_H
#define TOPO_COLL_BCAST_SEGMENTS_H

#include "coll/bcast/bcast.h"
#include "patterns/pipeline.h"

/* One call on this rank. */
struct topo_bcast_segments {
    const struct topo_bcast *call;
    const struct topo_node *node;
    int root_node;
    char *data; /* all bytes one after the other: the user's, or scratch */
    struct topo_pipeline cut;
};

/* The rank that drives the node with this number from the root's (topo_levels_numbered()). */
int topo_bcast_segments_driver(const struct topo_bcast_segments *segments, int number);

/* Where a segment lies, and its bytes. */
char *topo_bcast_segments_at(const struct topo_bcast_segments *segments, size_t segment);
int topo_bcast_segments_bytes(const struct topo_bcast_segments *segments, size_t segment);

/* A segment goes to the ranks of this node, whatever went wrong before, as they must get on; and comes to one of them.
 * The FIFO of the node is open (node/shm_fifo.h). */
void topo_bcast_segments_give(const struct topo_bcast_segments *segments, size_t segment);
void topo_bcast_segments_take(const struct topo_bcast_segments *segments, size_t segment);

#endif
