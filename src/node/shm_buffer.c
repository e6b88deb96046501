#include "node/shm_buffer.h"

#include <string.h>

#include "base/align.h"

/* One for each buffer. `done` counts the calls that had parts alone: it follows their number, while that of all calls
 * could get so far ahead of it as to look behind. */
struct topo_shm_buffer_header {
    struct topo_flag arrived, parts, done;
};

enum { BUFFERS_AT = 4096, FIRST_BYTES = 65536, BUFFERS_LONG = 2 };
_Static_assert(TOPO_SHM_BUFFERS_MOST * sizeof(struct topo_shm_buffer_header) <= BUFFERS_AT,
               "the counters lie before the buffers");

/* In a new region. */
static void begin(struct topo_shm_buffers *buffers, const struct topo_node *node, struct topo_shm_buffer_header *header,
                  int count)
{
    const struct topo_counters *start = &topo_counters_start;
    memset(buffers, 0, sizeof *buffers);
    if (!topo_counters_elsewhere())
        return;
    for (int i = 0; i < count; i++) {
        buffers->calls[i] = (uint32_t)start->iterations;
        buffers->parts[i] = buffers->calls_in_parts[i] = start->parts;
        topo_flag_set(&header[i].arrived, buffers->calls[i] * (uint32_t)node->ranks);
        topo_flag_set(&header[i].parts, start->parts);
        topo_flag_set(&header[i].done, start->parts);
    }
    topo_counters_set(node);
}

bool topo_shm_buffer_reserve(struct topo_node *node, size_t bytes)
{
    bool is_short = bytes <= TOPO_SHM_BUFFER_SHORT, fresh;
    enum topo_shm_use use = is_short ? TOPO_SHM_BUFFERS : TOPO_SHM_LONG_BUFFERS;
    int count = is_short ? TOPO_SHM_BUFFERS_MOST : BUFFERS_LONG;
    size_t all = BUFFERS_AT + (size_t)count * topo_align(bytes, TOPO_CACHE_LINE);
    if (!topo_node_reserve(node, use, all, topo_align(all, FIRST_BYTES), &fresh))
        return false;
    if (fresh)
        begin(is_short ? &node->buffers : &node->long_buffers, node,
              (struct topo_shm_buffer_header *)node->region[use].base, count);
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
    struct topo_shm_buffer_header *header = (struct topo_shm_buffer_header *)region->base;
    buffers->current = (buffers->current + 1) % count;
    /* The oldest call that may still be under way: all have arrived there, so they have left the one before it,
     * which was the last one here. */
    buffer->index = (buffers->current + 1) % count;
    buffer->header = header + buffer->index;
    topo_shm_buffer_wait_arrived(buffer);
    buffer->index = buffers->current;
    buffer->header = header + buffer->index;
    buffer->base =
        region->base + BUFFERS_AT +
        (size_t)buffer->index * ((region->bytes - BUFFERS_AT) / (size_t)count / TOPO_CACHE_LINE * TOPO_CACHE_LINE);
    buffers->calls[buffer->index]++;
    return true;
}

static uint32_t all_arrived(const struct topo_shm_buffer *buffer)
{
    return buffer->buffers->calls[buffer->index] * (uint32_t)buffer->node->ranks;
}

void topo_shm_buffer_arrive(struct topo_shm_buffer *buffer)
{
    topo_flag_add(&buffer->header->arrived, 1);
}

void topo_shm_buffer_wait_arrived(const struct topo_shm_buffer *buffer)
{
    topo_flag_wait(&buffer->header->arrived, all_arrived(buffer), &buffer->node->wait_policy);
}

void topo_shm_buffer_add(const struct topo_shm_buffer *buffer, int parts)
{
    uint32_t before = buffer->buffers->parts[buffer->index];
    uint32_t now = topo_flag_add(&buffer->header->parts, (uint32_t)parts);
    if (parts > 0 && now == before + buffer->parts)
        topo_flag_set(&buffer->header->done, buffer->buffers->calls_in_parts[buffer->index] + 1);
}

void topo_shm_buffer_wait_parts(const struct topo_shm_buffer *buffer, int parts)
{
    topo_flag_wait(&buffer->header->parts, buffer->buffers->parts[buffer->index] + (uint32_t)parts,
                   &buffer->node->wait_policy);
}

void topo_shm_buffer_leave(struct topo_shm_buffer *buffer)
{
    buffer->buffers->parts[buffer->index] += buffer->parts;
    buffer->buffers->calls_in_parts[buffer->index] += buffer->parts > 0;
}

void topo_shm_buffer_close(struct topo_shm_buffer *buffer)
{
    if (buffer->parts > 0)
        topo_flag_wait(&buffer->header->done, buffer->buffers->calls_in_parts[buffer->index] + 1,
                       &buffer->node->wait_policy);
    else
        topo_shm_buffer_wait_arrived(buffer);
    topo_shm_buffer_leave(buffer);
}
