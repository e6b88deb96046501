#include "trace/fields.h"

#include <string.h>

#include "base/memory.h"

bool topo_trace_complain(struct topo_trace_reader *reader, const char *what)
{
    topo_note_error(reader->notes, "%s: byte %ld: %s", reader->rank->path, (long)(reader->at - reader->start), what);
    reader->bad = true;
    return false;
}

void *topo_trace_keep(struct topo_trace_reader *reader, size_t count, size_t size)
{
    struct topo_trace_memory *block =
        count <= SIZE_MAX / size - 1 ? topo_calloc(1, sizeof *block + count * size) : NULL;
    if (!block) {
        reader->out_of_memory = true;
        return NULL;
    }
    block->next = reader->rank->memory;
    reader->rank->memory = block;
    return block + 1;
}

void *topo_trace_grow(struct topo_trace_reader *reader, void *array, int count, size_t size)
{
    if (!topo_grow(&array, (size_t)count, size))
        reader->out_of_memory = true;
    return array;
}

bool topo_trace_get(struct topo_trace_reader *reader, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        unsigned char byte = *reader->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return topo_trace_complain(reader, reader->at < reader->end ? "an integer of more than 64 bits"
                                                                : "a record ends too early");
}

bool topo_trace_get_up_to(struct topo_trace_reader *reader, uint64_t most, uint64_t *value)
{
    return topo_trace_get(reader, value) && (*value <= most || topo_trace_complain(reader, "a number out of range"));
}

bool topo_trace_get_int(struct topo_trace_reader *reader, int most, int *value)
{
    uint64_t wide;
    if (!topo_trace_get_up_to(reader, (uint64_t)most, &wide))
        return false;
    *value = (int)wide;
    return true;
}

bool topo_trace_get_id(struct topo_trace_reader *reader, unsigned *value)
{
    int narrow = 0;
    bool good = topo_trace_get_int(reader, INT_MAX, &narrow);
    *value = (unsigned)narrow;
    return good;
}

bool topo_trace_get_new_id(struct topo_trace_reader *reader, int defined)
{
    int id;
    return topo_trace_get_int(reader, INT_MAX, &id) &&
           (id == defined + 1 || topo_trace_complain(reader, "definitions out of order"));
}

bool topo_trace_get_text(struct topo_trace_reader *reader, const char **text)
{
    uint64_t length;
    char *copy;
    if (!topo_trace_get(reader, &length))
        return false;
    if (length > (uint64_t)(reader->end - reader->at))
        return topo_trace_complain(reader, "a text longer than its record");
    copy = topo_trace_keep(reader, length + 1, 1);
    if (!copy)
        return false;
    memcpy(copy, reader->at, length);
    reader->at += length;
    *text = copy;
    return true;
}

bool topo_trace_get_gap(struct topo_trace_reader *reader, struct topo_trace_gap *gap)
{
    return topo_trace_get(reader, &gap->wall) && topo_trace_get(reader, &gap->cpu);
}
