#include "node/shm_buffer.h"

#include <string.h>

#include "base/align.h"

enum { FIRST_BYTES = 65536, BUFFERS_LONG = 2 };

/* Lines of a buffer: `arrived`; `added`, one, as few ranks add parts; `done`. */
static size_t lines_of(const struct topo_node *node)
{
    return (size_t)(topo_group_meet_lines(node) + 1 + topo_group_tell_lines(node));
}

/* The lines of all buffers come first. */
static size_t buffers_at(const struct topo_node *node)
{
    return topo_align(TOPO_SHM_BUFFERS_MOST * lines_of(node) * sizeof(struct topo_flag), 4096);
}

static void find_lines(struct topo_shm_buffer *buffer, enum topo_shm_use use, int index)
{
    const struct topo_node *node = buffer->node;
    buffer->index = index;
    buffer->arrived = (struct topo_flag *)node->region[use].base + (size_t)index * lines_of(node);
    buffer->added = buffer->arrived + topo_group_meet_lines(node);
    buffer->done = buffer->added + 1;
}

/* In a new region. `done` counts the calls that had parts alone: it follows their number, while that of all calls could
 * get so far ahead of it as to look behind. */
static void begin(struct topo_shm_buffers *buffers, struct topo_node *node, enum topo_shm_use use, int count)
{
    const struct topo_counters *start = &topo_counters_start;
    struct topo_shm_buffer buffer = {.node = node};
    memset(buffers, 0, sizeof *buffers);
    if (!topo_counters_elsewhere())
        return;
    for (int i = 0; i < count; i++) {
        buffers->calls[i] = (uint32_t)start->iterations;
        buffers->parts[i] = buffers->calls_in_parts[i] = start->parts;
        find_lines(&buffer, use, i);
        topo_group_meet_begin(node, buffer.arrived, buffers->calls[i]);
        topo_flag_set(buffer.added, start->parts);
        topo_group_tell(node, buffer.done, start->parts);
    }
    topo_counters_set(node);
}

bool topo_shm_buffer_reserve(struct topo_node *node, size_t bytes)
{
    bool is_short = bytes <= TOPO_SHM_BUFFER_SHORT, fresh;
    enum topo_shm_use use = is_short ? TOPO_SHM_BUFFERS : TOPO_SHM_LONG_BUFFERS;
    int count = is_short ? TOPO_SHM_BUFFERS_MOST : BUFFERS_LONG;
    size_t all = buffers_at(node) + (size_t)count * topo_align(bytes, TOPO_CACHE_LINE);
    const struct topo_shm_size size = {buffers_at(node), all, topo_align(all, FIRST_BYTES)};
    if (!topo_node_reserve(node, use, size, &fresh))
        return false;
    if (fresh)
        begin(is_short ? &node->buffers : &node->long_buffers, node, use, count);
    return true;
}

bool topo_shm_buffer_open(struct topo_shm_buffer *buffer, struct topo_node *node, size_t bytes, int parts)
{
    bool is_short = bytes <= TOPO_SHM_BUFFER_SHORT;
    enum topo_shm_use use = is_short ? TOPO_SHM_BUFFERS : TOPO_SHM_LONG_BUFFERS;
    struct topo_shm_buffers *buffers = is_short ? &node->buffers : &node->long_buffers;
    int count = is_short ? TOPO_SHM_BUFFERS_MOST : BUFFERS_LONG;
    *buffer = (struct topo_shm_buffer){.node = node, .buffers = buffers, .parts = (uint32_t)parts};
    if (!topo_shm_buffer_reserve(node, bytes))
        return false;
    const struct topo_shm_region *region = &node->region[use];
    size_t at = buffers_at(node);
    buffers->current = (buffers->current + 1) % count;
    /* The oldest call that may still be under way: all have arrived there, so they have left the one before it,
     * which was the last one here. */
    find_lines(buffer, use, (buffers->current + 1) % count);
    topo_shm_buffer_wait_arrived(buffer);
    find_lines(buffer, use, buffers->current);
    buffer->base = region->base + at +
                   (size_t)buffer->index * ((region->bytes - at) / (size_t)count / TOPO_CACHE_LINE * TOPO_CACHE_LINE);
    buffers->calls[buffer->index]++;
    return true;
}

static uint32_t calls_of(const struct topo_shm_buffer *buffer)
{
    return buffer->buffers->calls[buffer->index];
}

char *topo_shm_buffer_beside_arrived(const struct topo_shm_buffer *buffer)
{
    return buffer->node->group.groups > 1 ? NULL : buffer->arrived->beside;
}

char *topo_shm_buffer_beside_done(const struct topo_shm_buffer *buffer)
{
    return topo_group_beside(buffer->node, buffer->done);
}

bool topo_shm_buffer_arrive_own(struct topo_shm_buffer *buffer)
{
    return topo_group_meet_own(buffer->node, buffer->arrived, calls_of(buffer));
}

void topo_shm_buffer_arrive_all(struct topo_shm_buffer *buffer)
{
    topo_group_meet_all(buffer->node, buffer->arrived, calls_of(buffer));
}

void topo_shm_buffer_wait_arrived(const struct topo_shm_buffer *buffer)
{
    topo_group_meet_wait(buffer->node, buffer->arrived, calls_of(buffer));
}

void topo_shm_buffer_add(const struct topo_shm_buffer *buffer, int parts)
{
    uint32_t before = buffer->buffers->parts[buffer->index];
    uint32_t now = topo_flag_add(buffer->added, (uint32_t)parts);
    if (parts > 0 && now == before + buffer->parts)
        topo_group_tell_beside(buffer->node, buffer->done, buffer->buffers->calls_in_parts[buffer->index] + 1,
                               buffer->beside);
}

void topo_shm_buffer_wait_parts(const struct topo_shm_buffer *buffer, int parts)
{
    topo_flag_wait(buffer->added, buffer->buffers->parts[buffer->index] + (uint32_t)parts, &buffer->node->wait_policy);
}

void topo_shm_buffer_leave(struct topo_shm_buffer *buffer)
{
    buffer->buffers->parts[buffer->index] += buffer->parts;
    buffer->buffers->calls_in_parts[buffer->index] += buffer->parts > 0;
}

void topo_shm_buffer_close(struct topo_shm_buffer *buffer)
{
    if (buffer->parts > 0)
        topo_group_tell_wait(buffer->node, buffer->done, buffer->buffers->calls_in_parts[buffer->index] + 1);
    else
        topo_shm_buffer_wait_arrived(buffer);
    topo_shm_buffer_leave(buffer);
}
