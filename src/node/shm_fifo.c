#include "node/shm_fifo.h"

#include "base/align.h"

/* Short segments get more slots: switching between ranks is most of their cost. */
enum { SLOTS_MOST = 32, SHORT_BYTES = 4 << 10, PAGE = 4 << 10 };

/* Lines of a slot: `written`, then `read`. */
static size_t lines_of(const struct topo_node *node)
{
    return (size_t)(topo_group_tell_lines(node) + topo_group_count_lines(node));
}

static struct topo_flag *lines_at(const struct topo_node *node, uint32_t slot)
{
    return (struct topo_flag *)node->region[TOPO_SHM_FIFO].base + slot * lines_of(node);
}

/* The lines of all slots come first. */
static size_t slots_at(const struct topo_node *node)
{
    return topo_align(SLOTS_MOST * lines_of(node) * sizeof(struct topo_flag), PAGE);
}

/* In a new region. */
static void begin(struct topo_node *node)
{
    node->segments = topo_counters_start.iterations;
    if (!topo_counters_elsewhere())
        return;
    for (uint32_t i = 0; i < node->slots; i++) {
        uint64_t uses = node->segments / node->slots + (i < node->segments % node->slots);
        struct topo_flag *written = lines_at(node, i);
        topo_group_tell(node, written, (uint32_t)node->segments);
        topo_group_count_begin(node, written + topo_group_tell_lines(node), (uint32_t)uses);
    }
    topo_counters_set(node);
}

/* Makes all pages be there. Else each of the first calls meets pages of another slot that are not, and whoever times
 * these calls takes it for slower than it is (docs/measurements/guard.md, first calls). */
static void touch(const struct topo_node *node, size_t bytes)
{
    const volatile char *base = node->region[TOPO_SHM_FIFO].base;
    for (size_t at = 0; at < bytes; at += PAGE)
        (void)base[at];
}

static size_t bytes_of(const struct topo_node *node, uint32_t slots, size_t stride)
{
    return slots_at(node) + slots * stride;
}

bool topo_shm_fifo_open(struct topo_node *node, size_t bytes)
{
    uint32_t slots = bytes <= SHORT_BYTES ? SLOTS_MOST : TOPO_SHM_FIFO_SLOTS;
    size_t stride = bytes <= SHORT_BYTES ? SHORT_BYTES : TOPO_SEGMENT_BYTES;
    bool fresh;
    if (topo_node_stands(node, TOPO_SHM_FIFO) && stride <= node->slot_stride) {
        topo_node_goes_through(node, TOPO_SHM_FIFO);
        return true;
    }
    /* All ranks are through with the old segment when they meet here. */
    const size_t all = bytes_of(node, slots, stride);
    if (!topo_node_reserve(node, TOPO_SHM_FIFO, (struct topo_shm_size){slots_at(node), all, all}, &fresh))
        return false;
    /* A segment that was granted for a long call may be seen by a short one first. As the layout follows from the size
     * alone it changes only with the segment, whose counters are new then. */
    if (node->region[TOPO_SHM_FIFO].bytes >= bytes_of(node, TOPO_SHM_FIFO_SLOTS, TOPO_SEGMENT_BYTES)) {
        slots = TOPO_SHM_FIFO_SLOTS;
        stride = TOPO_SEGMENT_BYTES;
    }
    node->slots = slots;
    node->slot_stride = stride;
    begin(node);
    touch(node, bytes_of(node, slots, stride));
    return true;
}

struct topo_shm_fifo_slot topo_shm_fifo_next(struct topo_node *node, size_t bytes)
{
    char *base = node->region[TOPO_SHM_FIFO].base;
    uint32_t index = (uint32_t)(node->segments % node->slots);
    uint64_t before = node->segments / node->slots;
    struct topo_flag *written = lines_at(node, index);
    bool beside = bytes <= TOPO_FLAG_BESIDE;
    return (struct topo_shm_fifo_slot){.node = node,
                                       .written = written,
                                       .read = written + topo_group_tell_lines(node),
                                       .base = beside ? topo_group_beside(node, written)
                                                      : base + slots_at(node) + index * node->slot_stride,
                                       .beside = beside ? bytes : 0,
                                       .number = (uint32_t)++node->segments,
                                       .before = (uint32_t)before};
}

void topo_shm_fifo_claim(const struct topo_shm_fifo_slot *slot)
{
    topo_group_count_wait(slot->node, slot->read, slot->before);
}

void topo_shm_fifo_publish(const struct topo_shm_fifo_slot *slot)
{
    topo_group_tell_beside(slot->node, slot->written, slot->number, slot->beside);
}

void topo_shm_fifo_await(const struct topo_shm_fifo_slot *slot)
{
    topo_group_tell_wait(slot->node, slot->written, slot->number);
}

void topo_shm_fifo_release(const struct topo_shm_fifo_slot *slot)
{
    topo_group_count(slot->node, slot->read, slot->before + 1);
}
