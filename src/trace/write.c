#include "trace/write.h"

#include <string.h>

/* Counts when `at` is NULL, else writes. */
struct cursor {
    unsigned char *at;
    size_t bytes;
};

static void put(struct cursor *cursor, uint64_t value)
{
    do {
        unsigned char byte = (unsigned char)(value & 0x7f);
        value >>= 7;
        if (value)
            byte |= 0x80;
        if (cursor->at)
            cursor->at[cursor->bytes] = byte;
        cursor->bytes++;
    } while (value);
}

static void put_text(struct cursor *cursor, const char *text)
{
    size_t length = strlen(text);
    put(cursor, length);
    if (cursor->at)
        memcpy(cursor->at + cursor->bytes, text, length);
    cursor->bytes += length;
}

/* A payload as a function, run twice: for its length and for its bytes. */
typedef void payload(struct cursor *cursor, const void *record);

static void append(struct topo_trace_writer *writer, enum topo_trace_record type, payload *fill, const void *record)
{
    struct cursor cursor = {NULL, 0}, header = {NULL, 1};
    fill(&cursor, record);
    put(&header, cursor.bytes);
    if (writer->room < header.bytes + cursor.bytes && !writer->reserve(writer, header.bytes + cursor.bytes)) {
        writer->dropped++;
        return;
    }
    unsigned char *start = writer->window;
    header = (struct cursor){start, 1};
    put(&header, cursor.bytes);
    cursor = (struct cursor){start + header.bytes, 0};
    fill(&cursor, record);
    __atomic_store_n(start, (unsigned char)type, __ATOMIC_RELEASE);
    writer->window += header.bytes + cursor.bytes;
    writer->room -= header.bytes + cursor.bytes;
    writer->written += header.bytes + cursor.bytes;
}

/* A payload that is numbers alone. */
struct numbers {
    const uint64_t *value;
    size_t count;
};

static void fill_numbers(struct cursor *cursor, const void *record)
{
    const struct numbers *numbers = record;
    for (size_t i = 0; i < numbers->count; i++)
        put(cursor, numbers->value[i]);
}

#define APPEND_NUMBERS(writer, type, ...) \
    append(writer, type, fill_numbers, \
           &(struct numbers){(const uint64_t[]){__VA_ARGS__}, \
                             sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)})

void topo_trace_write_magic(struct topo_trace_writer *writer)
{
    if (writer->room < TOPO_TRACE_MAGIC_BYTES && !writer->reserve(writer, TOPO_TRACE_MAGIC_BYTES)) {
        writer->dropped++;
        return;
    }
    memcpy(writer->window, TOPO_TRACE_MAGIC, TOPO_TRACE_MAGIC_BYTES);
    writer->window += TOPO_TRACE_MAGIC_BYTES;
    writer->room -= TOPO_TRACE_MAGIC_BYTES;
    writer->written += TOPO_TRACE_MAGIC_BYTES;
}

static void fill_job(struct cursor *cursor, const void *record)
{
    const struct topo_trace_job *job = record;
    put(cursor, job->id);
    put(cursor, (uint64_t)job->ranks);
    put(cursor, (uint64_t)job->rank);
    put_text(cursor, job->host);
    put_text(cursor, job->program);
    put_text(cursor, job->version);
    put(cursor, (uint64_t)job->cpus);
    put(cursor, topo_trace_zigzag(job->started));
    put(cursor, topo_trace_zigzag(job->to_rank0));
    put(cursor, job->clock);
}

void topo_trace_write_job(struct topo_trace_writer *writer, const struct topo_trace_job *job)
{
    append(writer, TOPO_TRACE_JOB, fill_job, job);
}

struct string {
    unsigned id;
    const char *text;
};

static void fill_string(struct cursor *cursor, const void *record)
{
    const struct string *string = record;
    put(cursor, string->id);
    put_text(cursor, string->text);
}

void topo_trace_write_string(struct topo_trace_writer *writer, unsigned id, const char *text)
{
    append(writer, TOPO_TRACE_STRING, fill_string, &(struct string){id, text});
}

struct group {
    unsigned id;
    int own, count;
    const int *world;
};

/* Members as runs: first, step, how many; a whole world is one run. */
static void fill_group(struct cursor *cursor, const void *record)
{
    const struct group *group = record;
    put(cursor, group->id);
    put(cursor, (uint64_t)group->count);
    put(cursor, (uint64_t)group->own);
    for (int i = 0; i < group->count;) {
        int length = 1, step = i + 1 < group->count ? group->world[i + 1] - group->world[i] : 0;
        while (i + length < group->count && group->world[i + length] == group->world[i] + step * length)
            length++;
        put(cursor, (uint64_t)group->world[i]);
        put(cursor, topo_trace_zigzag(step));
        put(cursor, (uint64_t)length);
        i += length;
    }
}

void topo_trace_write_group(struct topo_trace_writer *writer, unsigned id, int own, const int *world, int count)
{
    append(writer, TOPO_TRACE_GROUP, fill_group, &(struct group){id, own, count, world});
}

struct vector {
    unsigned id;
    int count;
    const uint64_t *bytes;
};

static void fill_vector(struct cursor *cursor, const void *record)
{
    const struct vector *vector = record;
    put(cursor, vector->id);
    put(cursor, (uint64_t)vector->count);
    for (int i = 0; i < vector->count; i++)
        put(cursor, vector->bytes[i]);
}

void topo_trace_write_vector(struct topo_trace_writer *writer, unsigned id, const uint64_t *bytes, int count)
{
    append(writer, TOPO_TRACE_VECTOR, fill_vector, &(struct vector){id, count, bytes});
}

void topo_trace_write_begin(struct topo_trace_writer *writer, struct topo_trace_gap gap, unsigned name, unsigned file,
                            uint64_t line)
{
    APPEND_NUMBERS(writer, TOPO_TRACE_BEGIN, gap.wall, gap.cpu, name, file, line);
}

void topo_trace_write_end(struct topo_trace_writer *writer, struct topo_trace_gap gap)
{
    APPEND_NUMBERS(writer, TOPO_TRACE_END, gap.wall, gap.cpu);
}

void topo_trace_write_finish(struct topo_trace_writer *writer, struct topo_trace_gap gap)
{
    APPEND_NUMBERS(writer, TOPO_TRACE_FINISH, gap.wall, gap.cpu);
}

void topo_trace_write_lost(struct topo_trace_writer *writer)
{
    APPEND_NUMBERS(writer, TOPO_TRACE_LOST, writer->dropped);
}

void topo_trace_write_collective(struct topo_trace_writer *writer, const struct topo_trace_collective *call)
{
    APPEND_NUMBERS(writer, TOPO_TRACE_COLLECTIVE, call->gap.wall, call->gap.cpu, call->op, call->algorithm, call->group,
                   call->root, call->bytes, call->vector, call->nanoseconds);
}

struct p2p {
    uint64_t calls, nanoseconds;
    const struct topo_trace_peer *peers;
    int count;
};

static void fill_p2p(struct cursor *cursor, const void *record)
{
    const struct p2p *p2p = record;
    put(cursor, p2p->calls);
    put(cursor, p2p->nanoseconds);
    put(cursor, (uint64_t)p2p->count);
    for (int i = 0; i < p2p->count; i++) {
        put(cursor, (uint64_t)p2p->peers[i].rank);
        put(cursor, p2p->peers[i].messages);
        put(cursor, p2p->peers[i].bytes);
    }
}

void topo_trace_write_p2p(struct topo_trace_writer *writer, uint64_t calls, uint64_t nanoseconds,
                          const struct topo_trace_peer *peers, int count)
{
    append(writer, TOPO_TRACE_P2P, fill_p2p, &(struct p2p){calls, nanoseconds, peers, count});
}
