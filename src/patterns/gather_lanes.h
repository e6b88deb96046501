/* Which rank of a node carries which block: the network exchange of a node runs
 * over lanes, one for each pair of ranks of two neighbour nodes (as many as the
 * smaller node has ranks), and blocks are assigned to them cyclically. So every rank
 * drives a part of the exchange, whatever the nodes' sizes. */
#ifndef TOPO_PATTERNS_GATHER_LANES_H
#define TOPO_PATTERNS_GATHER_LANES_H

#include "base/memory.h"
#include "patterns/levels.h"
#include "patterns/paths.h"

/* One block that this rank receives from or sends to the rank at position `peer`. */
struct topo_gather_lane_task {
    int block; /* its index in the node's sequence */
    int peer;
};

/* The part of one rank in an exchange of one block of every rank. The blocks are
 * in sequence: by the number of messages they need to get to this node (its own
 * first), then by position; so is every list of tasks, and two ranks see the
 * blocks between them in the same order. A rank waits only for blocks that need
 * fewer messages, hence never in a circle. */
struct topo_gather_lanes {
    int blocks;    /* number of ranks */
    int *position; /* [blocks] position of the rank whose block is at an index */
    int own;       /* index of this rank's block */
    struct topo_gather_lane_task *receive, *send;
    int receives, sends;
};

/* How the blocks travel, of which the longest has so many bytes: as one ring of nodes, or, on more than TOPO_RADIX
 * nodes or parts of any unit whose ranks have a processor each, by trees. In a ring each further node costs a latency:
 * on 64 simulated nodes of 4 4 KiB took 210 us so and 89 by trees. But there blocks come from several nodes at a time,
 * the last ones together: the more ranks then read them, the shorter a segment is. Of nodes with different numbers of
 * ranks the small ones pass on more than their share by trees: those carry one segment there, and rings what is longer.
 */
struct topo_gather_lanes_cut {
    enum topo_path_kind kind;
    size_t segment; /* bytes, at most */
};
struct topo_gather_lanes_cut topo_gather_lanes_cut(const struct topo_levels *levels, bool oversubscribed,
                                                   size_t longest);

/* Lanes between two nodes. */
int topo_gather_lanes_between(const struct topo_levels *levels, int a, int b);

/* The first of the blocks of `node` that go by lane `lane` of so many; that many further on is the next. Where lanes do
 * not divide them evenly, each node's blocks begin with another lane, so that over all nodes each lane has as many. */
int topo_gather_lane_first(const struct topo_levels *levels, int node, int lanes, int lane);

/* For local rank `local` of `node`. Free *lanes with topo_gather_lanes_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_gather_lanes_new(const struct topo_levels *levels, int node, int local, enum topo_path_kind kind,
                                       struct topo_gather_lanes **lanes);

/* NULL is harmless. */
void topo_gather_lanes_free(struct topo_gather_lanes *lanes);
TOPO_SCOPED_TYPE(topo_gather_lanes)

#endif
