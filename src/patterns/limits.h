/* Sizes that algorithms and their costs must agree on. */
#ifndef TOPO_PATTERNS_LIMITS_H
#define TOPO_PATTERNS_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    /* Bytes of a pipeline's segment, at most. Open MPI sends it eagerly over every link; shorter ones cost more
     * hand-overs inside a node (docs/LEVELS.md, long messages). */
    TOPO_SEGMENT_BYTES = 32 << 10,
    /* Messages of more bytes wait for the receiver's answer over TCP: Open MPI sends 64 KiB, headers included, without.
     */
    TOPO_EAGER_MOST = 60 << 10,
    /* Blocks of more bytes gain nothing by travelling in one message with others. */
    TOPO_AGGREGATED_MOST = 16 << 10,
    /* Bytes of a block of a sum by halving, at least: shorter ones cost more messages than they save bytes. */
    TOPO_SHARE_LEAST = 1 << 10,
    /* Bytes that a link carries in the time of a latency: of a fast link, where it counts most, and, of pipelines,
     * between a fast one and a slow one. How sums are cut, and so in which order they are added up, follows from them:
     * a measured link's latency would change their bits, as would one number for all. */
    TOPO_LATENCY_OF_SUMS = 25 << 10,
    TOPO_LATENCY_OF_TREES = 24 << 10,
    TOPO_LATENCY_OF_PIPELINES = 16 << 10,
    /* In a processor's time for a message, about; for one and a hand-over inside a node. */
    TOPO_OVERHEAD_OF_TREES = 1 << 10,
    TOPO_OVERHEAD_OF_PIPELINES = 2 << 10,
    /* Ranks that one rank waits for in each step of a barrier, and one more. */
    TOPO_BARRIER_RADIX = 2,
    /* A packet of the asynchronous all-reduce: see model/packet.h. */
    TOPO_PACKET_LEAST = 32 << 10,
    TOPO_PACKET_MOST = TOPO_EAGER_MOST,
    /* Bytes of a vector that are summed up at a time through a node's buffers, for all ranks of the node together; of
     * each rank at least. */
    TOPO_SUM_SEGMENT_NODE = 16 << 20,
    TOPO_SUM_SEGMENT_LEAST = 64 << 10,
    /* Streams of messages from one rank to another: those of one stream are sent and awaited in one order, as MPI keeps
     * it, those of several may overtake each other, as each stream has a tag of its own. */
    TOPO_STREAMS = 32
};

/* The stream of a segment or block by its number: what two ranks have between them is often evenly spaced. */
static inline int topo_stream_of(unsigned number)
{
    return (int)((number * 2654435769U & 0xffffffffU) >> 27);
}
_Static_assert(TOPO_STREAMS == 1 << 5, "the upper 5 of 32 bits");

/* The same for one rank where a node has so many. */
static inline size_t topo_sum_segment(int ranks)
{
    size_t share = TOPO_SUM_SEGMENT_NODE / (size_t)ranks;
    return share > TOPO_SUM_SEGMENT_LEAST ? share : TOPO_SUM_SEGMENT_LEAST;
}

/* Whether the ranks that drive such a sum of `bytes` between `nodes` nodes, of which the largest has so many ranks, add
 * up in memory of their own. Of fewer bytes or ranks it saves too little, and ranks that share processors have one
 * cache. */
static inline bool topo_sum_is_own(size_t bytes, int nodes, int ranks, bool oversubscribed)
{
    enum { LEAST = 1 << 10, RANKS_LEAST = 3 };
    return bytes >= LEAST && nodes > 1 && ranks >= RANKS_LEAST && !oversubscribed;
}

#endif
