#include "coll/area.h"

#include <string.h>

/* One for each area. */
struct topo_area_header {
    struct topo_flag arrived, parts, done;
};

enum { AREAS_AT = 4096, LINE = 64, FIRST_BYTES = 65536 };
_Static_assert(TOPO_AREAS * sizeof(struct topo_area_header) <= AREAS_AT, "the counters lie before the areas");

static size_t up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static void look_at(struct topo_area *area, int which)
{
    char *base = area->shared->segment[TOPO_SEGMENT_ROUNDS].base;
    area->header = (struct topo_area_header *)base + which;
    area->use = &area->shared->area[which];
}

bool topo_area_open(struct topo_area *area, struct topo_comm *comm, size_t bytes, int parts)
{
    struct topo_shared *shared = comm->shared;
    const struct topo_segment *segment = &shared->segment[TOPO_SEGMENT_ROUNDS];
    size_t all = AREAS_AT + TOPO_AREAS * up(bytes, LINE);
    bool fresh;
    *area = (struct topo_area){.shared = shared, .parts = (uint32_t)parts};
    if (!topo_shared_reserve(comm, TOPO_SEGMENT_ROUNDS, all, up(all, FIRST_BYTES), &fresh))
        return false;
    if (fresh)
        memset(shared->area, 0, sizeof shared->area);
    if (shared->area[shared->current].calls > 0) {
        look_at(area, shared->current);
        topo_area_wait_arrived(area); /* in the call before */
    }
    shared->current = (shared->current + 1) % TOPO_AREAS;
    look_at(area, shared->current);
    area->use->calls++;
    area->base =
        segment->base + AREAS_AT + (size_t)shared->current * ((segment->bytes - AREAS_AT) / TOPO_AREAS / LINE * LINE);
    return true;
}

static uint32_t all_arrived(const struct topo_area *area)
{
    return area->use->calls * (uint32_t)area->shared->ranks;
}

void topo_area_arrive(struct topo_area *area)
{
    topo_flag_add(&area->header->arrived, 1, all_arrived(area));
}

void topo_area_wait_arrived(const struct topo_area *area)
{
    topo_flag_wait(&area->header->arrived, all_arrived(area), &area->shared->patience);
}

void topo_area_add(const struct topo_area *area, int parts, int wait_for)
{
    uint32_t before = area->use->parts;
    uint32_t now = topo_flag_add(&area->header->parts, (uint32_t)parts, before + (uint32_t)wait_for);
    if (parts > 0 && now == before + area->parts)
        topo_flag_set(&area->header->done, area->use->calls);
}

void topo_area_wait_parts(const struct topo_area *area, int parts)
{
    topo_flag_wait(&area->header->parts, area->use->parts + (uint32_t)parts, &area->shared->patience);
}

void topo_area_leave(struct topo_area *area)
{
    area->use->parts += area->parts;
}

void topo_area_close(struct topo_area *area)
{
    if (area->parts > 0)
        topo_flag_wait(&area->header->done, area->use->calls, &area->shared->patience);
    else
        topo_area_wait_arrived(area);
    topo_area_leave(area);
}
