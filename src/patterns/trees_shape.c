#include "patterns/trees_shape.h"

#include "patterns/limits.h"
#include "patterns/trees_racks.h"

/* From a power of two on: 4, 6, 8, 12 KiB and so on. */
static uint64_t next_longer(uint64_t segment)
{
    bool power_of_two = (segment & (segment - 1)) == 0;
    return power_of_two ? segment / 2 * 3 : segment / 3 * 4;
}

/* A segment of a window comes behind another one, on a k-th of the link; a send that waits for its receiver takes two
 * latencies beside that. */
struct topo_trees_shape topo_trees_shape(uint64_t bytes, const struct topo_levels *levels, bool oversubscribed,
                                         uint64_t given)
{
    enum { FEWEST = 4, LEAST = 4 << 10, UNIT = 64, EAGER = 16 << 10, UNAWAITED = 256 << 10 };
    uint64_t best = UINT64_MAX, first = given ? given : oversubscribed ? TOPO_SEGMENT_BYTES : LEAST;
    struct topo_trees_shape shape = {.trees = 1, .segment = first};
    const bool in_racks = levels->count > 1;
    const int others = levels->nodes - 1, most = in_racks ? 2 : TOPO_TREES_MOST;
    int trees = in_racks ? 2 : others < FEWEST ? others : FEWEST;
    for (; others > 0 && trees <= most && trees <= others; trees++) {
        uint64_t depth = (uint64_t)topo_trees_hops(levels, trees);
        for (uint64_t segment = first; segment == first || (!given && segment <= TOPO_SEGMENT_BYTES);
             segment = next_longer(segment)) {
            uint64_t sent = bytes < segment ? bytes : segment;
            uint64_t cost =
                depth * (TOPO_LATENCY_OF_TREES + 2 * (uint64_t)trees * sent) + bytes / segment * TOPO_OVERHEAD_OF_TREES;
            if (cost < best) {
                best = cost;
                shape.trees = trees;
                shape.segment = segment;
            }
        }
    }
    /* As many segments of equal length. */
    uint64_t segments = bytes > shape.segment ? (bytes - 1) / shape.segment + 1 : 1;
    shape.segment = ((bytes > 0 ? (bytes - 1) / segments : 0) / UNIT + 1) * UNIT;
    uint64_t window = 3 + 2 * TOPO_LATENCY_OF_TREES / ((uint64_t)shape.trees * shape.segment);
    shape.window = window < TOPO_TREES_WINDOW_MOST ? (int)window : TOPO_TREES_WINDOW_MOST;
    if (oversubscribed || bytes <= EAGER)
        shape.unawaited = (int)(UNAWAITED / shape.segment) + 1;
    shape.lead = oversubscribed ? 0 : shape.trees * (shape.window - 1);
    shape.at_once = shape.lead > 0 ? shape.lead : shape.trees * shape.window;
    return shape;
}
