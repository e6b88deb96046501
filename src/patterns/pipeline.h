/* How a vector is cut that goes through nodes one after the other, segment by segment.
 *
 * With segments of s bytes a pipeline takes as long as bytes + nodes s bytes take on a link, where `nodes` pass on what
 * they get, and an overhead for each segment: the least for s = sqrt(overhead bytes / nodes), in which the overhead is
 * told in bytes that the link carries meanwhile. Where a node receives several segments at a time that is no latency.
 * But messages between two nodes may share the link between them, so that those which begin together arrive together,
 * at the end, and the link is idle until the next ones come. So the first ones are shorter, each by as much: then one
 * ends after the other from the start. */
#ifndef TOPO_PATTERNS_PIPELINE_H
#define TOPO_PATTERNS_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

enum { TOPO_PIPELINE_AHEAD_MOST = 8 };

struct topo_pipeline {
    size_t bytes;
    size_t segment;  /* bytes of one; the first `lead` and the last one may have fewer */
    size_t segments; /* how many */
    int lead;        /* how many shorter ones come first */
    size_t unit;     /* of which those are multiples, where that leaves them any */
    int ahead;       /* are received at a time: 2 .. TOPO_PIPELINE_AHEAD_MOST */
};

/* Bytes of a segment, from 4 KiB to `most` a power of two, of a vector of `bytes` that so many nodes pass on (0 or
 * less: none), with an overhead as above. */
size_t topo_pipeline_segment(size_t bytes, int nodes, size_t overhead, size_t most);

/* A vector of `bytes` > 0 in segments of up to TOPO_SEGMENT_BYTES: of `given` bytes, 4 KiB at least, where that is not
 * 0. `oversubscribed`: ranks share processors, so that an overhead is a switch from one to another, many times as long;
 * then all segments are as long as that. */
struct topo_pipeline topo_pipeline_of(size_t bytes, int nodes, bool oversubscribed, size_t given);

/* Cut by hand: `bytes` may be elements as well, then the segments are. */
struct topo_pipeline topo_pipeline_cut(size_t bytes, size_t segment, int lead, size_t unit);

/* Where segment `number` < segments starts. */
size_t topo_pipeline_offset(const struct topo_pipeline *pipeline, size_t number);

#endif
