#include "node/shm_fifo.h"

struct topo_slot_header {
    struct topo_flag written, read;
};

/* Short pieces get more slots: switching between ranks is most of their cost. */
enum { SLOTS_MOST = 32, SLOTS_LONG = 16, SHORT_BYTES = 4 << 10, SLOTS_AT = 4096 };
_Static_assert(SLOTS_MOST * sizeof(struct topo_slot_header) <= SLOTS_AT, "the counters fit before the slots");

/* In a new segment. */
static void begin(const struct topo_comm *comm)
{
    struct topo_shared *shared = comm->shared;
    struct topo_slot_header *header = (struct topo_slot_header *)shared->segment[TOPO_SEGMENT_SLOTS].base;
    shared->pieces = topo_counters_start.turns;
    if (!topo_counters_elsewhere())
        return;
    for (uint32_t i = 0; i < shared->slots; i++) {
        uint64_t uses = shared->pieces / shared->slots + (i < shared->pieces % shared->slots);
        topo_flag_set(&header[i].read, (uint32_t)(uses * (uint64_t)shared->ranks));
        topo_flag_set(&header[i].written, (uint32_t)shared->pieces);
    }
    topo_counters_set(comm);
}

bool topo_slots_open(struct topo_comm *comm, size_t bytes)
{
    struct topo_shared *shared = comm->shared;
    uint32_t slots = bytes <= SHORT_BYTES ? SLOTS_MOST : SLOTS_LONG;
    size_t stride = bytes <= SHORT_BYTES ? SHORT_BYTES : TOPO_SLOT_BYTES;
    bool fresh;
    if (topo_shared_stands(shared, TOPO_SEGMENT_SLOTS) && stride <= shared->slot_stride)
        return true;
    /* All ranks are through with the old segment when they meet here. */
    if (!topo_shared_reserve(comm, TOPO_SEGMENT_SLOTS, SLOTS_AT + slots * stride, SLOTS_AT + slots * stride, &fresh))
        return false;
    /* A segment that was granted for a long call may be seen by a short one first. As the layout follows from the size
     * alone it changes only with the segment, whose counters are new then. */
    if (shared->segment[TOPO_SEGMENT_SLOTS].bytes >= SLOTS_AT + (size_t)SLOTS_LONG * TOPO_SLOT_BYTES) {
        slots = SLOTS_LONG;
        stride = TOPO_SLOT_BYTES;
    }
    shared->slots = slots;
    shared->slot_stride = stride;
    begin(comm);
    return true;
}

struct topo_slot topo_slot_next(struct topo_shared *shared)
{
    char *base = shared->segment[TOPO_SEGMENT_SLOTS].base;
    uint32_t index = (uint32_t)(shared->pieces % shared->slots);
    uint64_t uses = shared->pieces / shared->slots;
    return (struct topo_slot){.shared = shared,
                              .header = (struct topo_slot_header *)base + index,
                              .base = base + SLOTS_AT + index * shared->slot_stride,
                              .number = (uint32_t)++shared->pieces,
                              .before = (uint32_t)(uses * (uint64_t)shared->ranks)};
}

void topo_slot_claim(const struct topo_slot *slot)
{
    topo_flag_wait(&slot->header->read, slot->before, &slot->shared->patience);
}

void topo_slot_publish(const struct topo_slot *slot)
{
    topo_flag_set(&slot->header->written, slot->number);
}

void topo_slot_await(const struct topo_slot *slot)
{
    topo_flag_wait(&slot->header->written, slot->number, &slot->shared->patience);
}

void topo_slot_release(const struct topo_slot *slot)
{
    topo_flag_add(&slot->header->read, 1);
}
