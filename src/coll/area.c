#include "coll/area.h"

struct topo_area_header {
    struct topo_flag arrived, parts, done;
};

enum { AREAS_AT = 4096, LINE = 64, FIRST_BYTES = 65536 };

static size_t up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

bool topo_area_open(struct topo_area *area, struct topo_comm *comm, size_t bytes, int parts)
{
    struct topo_shared *shared = comm->shared;
    const struct topo_segment *segment = &shared->segment[TOPO_SEGMENT_ROUNDS];
    size_t all = AREAS_AT + 2 * up(bytes, LINE);
    bool fresh;
    *area = (struct topo_area){.shared = shared, .parts = (uint32_t)parts};
    if (!topo_shared_reserve(comm, TOPO_SEGMENT_ROUNDS, all, up(all, FIRST_BYTES), &fresh))
        return false;
    if (fresh)
        shared->epoch = shared->parts = 0;
    area->header = (struct topo_area_header *)segment->base;
    area->base = segment->base + AREAS_AT + ++shared->epoch % 2 * ((segment->bytes - AREAS_AT) / 2 / LINE * LINE);
    return true;
}

static uint32_t all_arrived(const struct topo_area *area)
{
    return area->shared->epoch * (uint32_t)area->shared->ranks;
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
    uint32_t before = area->shared->parts;
    uint32_t now = topo_flag_add(&area->header->parts, (uint32_t)parts, before + (uint32_t)wait_for);
    if (parts > 0 && now == before + area->parts)
        topo_flag_set(&area->header->done, area->shared->epoch);
}

void topo_area_wait_parts(const struct topo_area *area, int parts)
{
    topo_flag_wait(&area->header->parts, area->shared->parts + (uint32_t)parts, &area->shared->patience);
}

void topo_area_close(struct topo_area *area)
{
    if (area->parts > 0)
        topo_flag_wait(&area->header->done, area->shared->epoch, &area->shared->patience);
    else
        topo_area_wait_arrived(area);
    area->shared->parts += area->parts;
}
