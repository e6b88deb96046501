#include "node/shm_fifo.h"

struct topo_shm_fifo_header {
    struct topo_flag written, read;
};

/* Short segments get more slots: switching between ranks is most of their cost. */
enum { SLOTS_MOST = 32, SHORT_BYTES = 4 << 10, SLOTS_AT = 4096 };
_Static_assert(SLOTS_MOST * sizeof(struct topo_shm_fifo_header) <= SLOTS_AT, "the counters fit before the slots");

/* In a new region. */
static void begin(struct topo_node *node)
{
    struct topo_shm_fifo_header *header = (struct topo_shm_fifo_header *)node->region[TOPO_SHM_FIFO].base;
    node->segments = topo_counters_start.iterations;
    if (!topo_counters_elsewhere())
        return;
    for (uint32_t i = 0; i < node->slots; i++) {
        uint64_t uses = node->segments / node->slots + (i < node->segments % node->slots);
        topo_flag_set(&header[i].read, (uint32_t)(uses * (uint64_t)node->ranks));
        topo_flag_set(&header[i].written, (uint32_t)node->segments);
    }
    topo_counters_set(node);
}

bool topo_shm_fifo_open(struct topo_node *node, size_t bytes)
{
    uint32_t slots = bytes <= SHORT_BYTES ? SLOTS_MOST : TOPO_SHM_FIFO_SLOTS;
    size_t stride = bytes <= SHORT_BYTES ? SHORT_BYTES : TOPO_SEGMENT_BYTES;
    bool fresh;
    if (topo_node_stands(node, TOPO_SHM_FIFO) && stride <= node->slot_stride)
        return true;
    /* All ranks are through with the old segment when they meet here. */
    if (!topo_node_reserve(node, TOPO_SHM_FIFO, SLOTS_AT + slots * stride, SLOTS_AT + slots * stride, &fresh))
        return false;
    /* A segment that was granted for a long call may be seen by a short one first. As the layout follows from the size
     * alone it changes only with the segment, whose counters are new then. */
    if (node->region[TOPO_SHM_FIFO].bytes >= SLOTS_AT + (size_t)TOPO_SHM_FIFO_SLOTS * TOPO_SEGMENT_BYTES) {
        slots = TOPO_SHM_FIFO_SLOTS;
        stride = TOPO_SEGMENT_BYTES;
    }
    node->slots = slots;
    node->slot_stride = stride;
    begin(node);
    return true;
}

struct topo_shm_fifo_slot topo_shm_fifo_next(struct topo_node *node)
{
    char *base = node->region[TOPO_SHM_FIFO].base;
    uint32_t index = (uint32_t)(node->segments % node->slots);
    uint64_t uses = node->segments / node->slots;
    return (struct topo_shm_fifo_slot){.node = node,
                                       .header = (struct topo_shm_fifo_header *)base + index,
                                       .base = base + SLOTS_AT + index * node->slot_stride,
                                       .number = (uint32_t)++node->segments,
                                       .before = (uint32_t)(uses * (uint64_t)node->ranks)};
}

void topo_shm_fifo_claim(const struct topo_shm_fifo_slot *slot)
{
    topo_flag_wait(&slot->header->read, slot->before, &slot->node->wait_policy);
}

void topo_shm_fifo_publish(const struct topo_shm_fifo_slot *slot)
{
    topo_flag_set(&slot->header->written, slot->number);
}

void topo_shm_fifo_await(const struct topo_shm_fifo_slot *slot)
{
    topo_flag_wait(&slot->header->written, slot->number, &slot->node->wait_policy);
}

void topo_shm_fifo_release(const struct topo_shm_fifo_slot *slot)
{
    topo_flag_add(&slot->header->read, 1);
}
