/* How a long sum is cut (plan/sum_lanes.c): into stripes, of which each rank of a node drives some, their segments, of
 * which a round takes one each, and how many rounds are under way. */
#ifndef TOPO_PATTERNS_REDUCE_CUT_H
#define TOPO_PATTERNS_REDUCE_CUT_H

#include <stdbool.h>
#include <stddef.h>

#include "patterns/levels.h"

/* Messages one after the other from the farthest node to the root's, about. */
int topo_reduce_cut_depth(const struct topo_levels *levels, int trees);

/* How many blocks more the busiest node sends along `sum_levels`, those of a radix, than along `levels`, the same
 * nodes' own (topo_paths_most()): none where the radix divides them evenly. Errors: TOPO_NOMEM. */
enum topo_status topo_reduce_cut_sent_more(const struct topo_levels *levels, const struct topo_levels *sum_levels,
                                           int *more);

/* Whether the segments of a vector of `bytes` travel along the machine's levels as they are, where all nodes of a unit
 * send to one another, and not along those of a radix, the ones by which they are added up. There the busiest node
 * sends `more` blocks than here (topo_reduce_cut_sent_more()). But here each node gets all partial sums of its own
 * block, so few of its ranks have most of the messages: what a link carries less counts against those
 * (docs/measurements/simulated.md, Along which levels). */
bool topo_reduce_cut_direct(size_t bytes, int nodes, int more, bool oversubscribed);

/* Slices of each node's block of a vector of `bytes`, where the largest node has `ranks`: 1 to `ranks`, as
 * topo_node_steps_ranges(). More where segments go `direct`, as those of its own block are what a node has to add up.
 */
int topo_reduce_cut_stripes(size_t bytes, int nodes, int ranks, bool direct);

/* Bytes of a segment of a sum that all nodes get, at most. An round is added up while those before it are on their
 * way through the levels and read. So among more nodes than meet in one step a vector is cut into several rounds,
 * where each rank has a processor: the first and the last round overlap with nothing, and of many they are a small
 * part. With one or two `ranks` on the largest node a round is short anyway, and shorter messages cost more than they
 * save. */
size_t topo_reduce_cut_segment(size_t bytes, int nodes, int ranks, int stripes, bool oversubscribed);

/* How a sum is cut of which each node gets a block, of `longest` bytes at most and of `bytes` together, where the nodes
 * have `least` to `most` ranks: as above, in segments of TOPO_SEGMENT_BYTES. But where ranks share processors an
 * round waits until each of them had one. In uneven nodes few ranks of a small one drive what many of a large one
 * do, and among many nodes a round has many messages. So there each block is one stripe, in few rounds; even
 * nodes, and few without a lone rank, gain nothing by it. Blocks of up to 240 KiB go in messages that MPI sends without
 * asking, over TCP up to 64 KiB with their headers (docs/measurements/reduce_scatter.md). */
struct topo_reduce_scatter_cut {
    int stripes;
    size_t segment; /* bytes, at most */
};
struct topo_reduce_scatter_cut topo_reduce_cut_scatter(size_t bytes, size_t longest, int nodes, int least, int most,
                                                       bool direct, bool oversubscribed);

/* Iterations of a vector that may be under way at once. */
enum {
    TOPO_REDUCE_WINDOWS = 4,
    TOPO_REDUCE_WINDOWS_MORE = 8,   /* where segments are short */
    TOPO_REDUCE_WINDOWS_TREES = 16, /* where they go up several trees, which are chosen for so many */
    TOPO_REDUCE_WINDOWS_MOST = 32   /* where those are deep and nodes have one or two ranks */
};

/* So many rounds are received at a time, at least. */
enum { TOPO_REDUCE_AHEAD_LEAST = 2 };

/* How the ranks of a node hand a round's sum on, where each adds its operands in turn. */
struct topo_reduce_parts {
    int together, cuts; /* so many segments at a time, or each in so many cuts; the other is 1 */
    int count;          /* handed on in all */
};
struct topo_reduce_parts topo_reduce_cut_parts(size_t segment, int segments);

/* Whether they do so, where the largest node has `ranks`: in a vector of `bytes` whose rounds have so many segments
 * of at most `segment` bytes, and with so many rounds under way. All ranks have something to do only when as many
 * parts are. Of two ranks each adds up half of what the other one writes, which is as little. */
bool topo_reduce_cut_pipelined(size_t bytes, int segments, size_t segment, int windows, int ranks);

/* How a chain of the nodes of these levels cuts a vector, where the largest has `ranks`: in every round it takes a
 * segment of each stripe: of `given` bytes, where that is not 0. */
struct topo_reduce_chain_cut {
    int stripes;    /* up to `ranks`, or `trees`: in a deep chain fewer, so that a round is as short as pays */
    size_t segment; /* bytes, at most */
    int trees;      /* as topo_plan_reduce_chain() takes them: 0 on few nodes; 1 in racks for a vector that is short for
                       the hops of two */
    int windows;    /* wanted */
    int ahead;      /* rounds whose partial sums are received at a time; 0: all that have begun */
    bool pipelined; /* ranks add their operands in turn; all ranks of a node wait for one another then, when windows are
                       full */
};
struct topo_reduce_chain_cut topo_reduce_cut_chain(size_t bytes, const struct topo_levels *levels, int ranks,
                                                   bool oversubscribed, size_t given);

#endif
