#include "coll/bcast/segments.h"

#include <string.h>

#include "node/shm_fifo.h"

int topo_bcast_segments_driver(const struct topo_bcast_segments *segments, int number)
{
    const struct topo_levels *levels = segments->node->levels;
    return number == 0 ? segments->call->root
                       : topo_tree_rank(segments->call->comm->tree,
                                        levels->start[topo_levels_numbered(levels, segments->root_node, number)]);
}

char *topo_bcast_segments_at(const struct topo_bcast_segments *segments, size_t segment)
{
    return segments->data + topo_pipeline_offset(&segments->cut, segment);
}

int topo_bcast_segments_bytes(const struct topo_bcast_segments *segments, size_t segment)
{
    return (int)topo_pipeline_bytes(&segments->cut, segment);
}

void topo_bcast_segments_give(const struct topo_bcast_segments *segments, size_t segment)
{
    if (segments->node->ranks == 1)
        return;
    size_t bytes = topo_pipeline_bytes(&segments->cut, segment);
    struct topo_shm_fifo_slot slot = topo_shm_fifo_next(segments->call->comm->node, bytes);
    topo_shm_fifo_claim(&slot);
    memcpy(slot.base, topo_bcast_segments_at(segments, segment), bytes);
    topo_shm_fifo_publish(&slot);
    topo_shm_fifo_release(&slot);
}

void topo_bcast_segments_take(const struct topo_bcast_segments *segments, size_t segment)
{
    size_t bytes = topo_pipeline_bytes(&segments->cut, segment);
    struct topo_shm_fifo_slot slot = topo_shm_fifo_next(segments->call->comm->node, bytes);
    topo_shm_fifo_await(&slot);
    memcpy(topo_bcast_segments_at(segments, segment), slot.base, bytes);
    topo_shm_fifo_release(&slot);
}
