#include "node/shm_buffer.h"

#include <string.h>

/* One for each area. `done` counts the calls that had parts alone: it follows their number, while that of all calls
 * could get so far ahead of it as to look behind. */
struct topo_area_header {
    struct topo_flag arrived, parts, done;
};

enum { AREAS_AT = 4096, LINE = 64, FIRST_BYTES = 65536, AREAS_LONG = 2 };
_Static_assert(TOPO_AREAS_MOST * sizeof(struct topo_area_header) <= AREAS_AT, "the counters lie before the areas");

static size_t up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* In a new segment. */
static void begin(struct topo_areas *areas, const struct topo_comm *comm, struct topo_area_header *header, int count)
{
    const struct topo_counters *start = &topo_counters_start;
    memset(areas, 0, sizeof *areas);
    if (!topo_counters_elsewhere())
        return;
    for (int i = 0; i < count; i++) {
        areas->calls[i] = (uint32_t)start->turns;
        areas->parts[i] = areas->calls_in_parts[i] = start->parts;
        topo_flag_set(&header[i].arrived, areas->calls[i] * (uint32_t)comm->shared->ranks);
        topo_flag_set(&header[i].parts, start->parts);
        topo_flag_set(&header[i].done, start->parts);
    }
    topo_counters_set(comm);
}

bool topo_area_reserve(struct topo_comm *comm, size_t bytes)
{
    struct topo_shared *shared = comm->shared;
    bool is_short = bytes <= TOPO_AREA_SHORT, fresh;
    enum topo_segment_use use = is_short ? TOPO_SEGMENT_AREAS : TOPO_SEGMENT_LONG_AREAS;
    int count = is_short ? TOPO_AREAS_MOST : AREAS_LONG;
    size_t all = AREAS_AT + (size_t)count * up(bytes, LINE);
    if (!topo_shared_reserve(comm, use, all, up(all, FIRST_BYTES), &fresh))
        return false;
    if (fresh)
        begin(is_short ? &shared->areas : &shared->long_areas, comm,
              (struct topo_area_header *)shared->segment[use].base, count);
    return true;
}

bool topo_area_open(struct topo_area *area, struct topo_comm *comm, size_t bytes, int parts)
{
    struct topo_shared *shared = comm->shared;
    bool is_short = bytes <= TOPO_AREA_SHORT;
    enum topo_segment_use use = is_short ? TOPO_SEGMENT_AREAS : TOPO_SEGMENT_LONG_AREAS;
    struct topo_areas *areas = is_short ? &shared->areas : &shared->long_areas;
    int count = is_short ? TOPO_AREAS_MOST : AREAS_LONG;
    *area = (struct topo_area){.shared = shared, .areas = areas, .parts = (uint32_t)parts};
    if (!topo_area_reserve(comm, bytes))
        return false;
    const struct topo_segment *segment = &shared->segment[use];
    struct topo_area_header *header = (struct topo_area_header *)segment->base;
    areas->current = (areas->current + 1) % count;
    /* The oldest call that may still be under way: all have arrived there, so they have left the one before it,
     * which was the last one here. */
    area->index = (areas->current + 1) % count;
    area->header = header + area->index;
    topo_area_wait_arrived(area);
    area->index = areas->current;
    area->header = header + area->index;
    area->base =
        segment->base + AREAS_AT + (size_t)area->index * ((segment->bytes - AREAS_AT) / (size_t)count / LINE * LINE);
    areas->calls[area->index]++;
    return true;
}

static uint32_t all_arrived(const struct topo_area *area)
{
    return area->areas->calls[area->index] * (uint32_t)area->shared->ranks;
}

void topo_area_arrive(struct topo_area *area)
{
    topo_flag_add(&area->header->arrived, 1);
}

void topo_area_wait_arrived(const struct topo_area *area)
{
    topo_flag_wait(&area->header->arrived, all_arrived(area), &area->shared->patience);
}

void topo_area_add(const struct topo_area *area, int parts)
{
    uint32_t before = area->areas->parts[area->index];
    uint32_t now = topo_flag_add(&area->header->parts, (uint32_t)parts);
    if (parts > 0 && now == before + area->parts)
        topo_flag_set(&area->header->done, area->areas->calls_in_parts[area->index] + 1);
}

void topo_area_wait_parts(const struct topo_area *area, int parts)
{
    topo_flag_wait(&area->header->parts, area->areas->parts[area->index] + (uint32_t)parts, &area->shared->patience);
}

void topo_area_leave(struct topo_area *area)
{
    area->areas->parts[area->index] += area->parts;
    area->areas->calls_in_parts[area->index] += area->parts > 0;
}

void topo_area_close(struct topo_area *area)
{
    if (area->parts > 0)
        topo_flag_wait(&area->header->done, area->areas->calls_in_parts[area->index] + 1, &area->shared->patience);
    else
        topo_area_wait_arrived(area);
    topo_area_leave(area);
}
