/* One file of a trace. */
#include "predict/trace_read.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"

enum { RANKS_MAX = 1 << 20, MEMBERS_MAX = 1 << 26, DEPTH_MAX = 1000 };

/* Everything small that a trace needs, freed at once. */
struct topo_trace_memory {
    struct topo_trace_memory *next;
};

struct reader {
    struct topo_trace_rank *rank;
    struct topo_notes *notes;
    const unsigned char *start, *at, *end; /* of the payload in hand */
    size_t event_room;
    const char **strings;
    int string_count;
    struct topo_trace_group *groups;
    struct topo_trace_vector *vectors;
    struct topo_trace_traffic traffic; /* in front of the next event */
    int depth;
    long members;
    bool out_of_memory, bad;
};

const char *topo_trace_op_name(unsigned op)
{
    static const char *const words[TOPO_TRACE_OPS] = {
#define X(id, number, word, kind) [number] = word,
        TOPO_TRACE_OP_MAP(X)
#undef X
    };
    return op < TOPO_TRACE_OPS && words[op] ? words[op] : "unknown";
}

static bool complain(struct reader *reader, const char *what)
{
    topo_note_error(reader->notes, "%s: byte %ld: %s", reader->rank->path, (long)(reader->at - reader->start), what);
    reader->bad = true;
    return false;
}

static void *keep(struct reader *reader, size_t count, size_t size)
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

/* One more element of an array that doubles when `count` is a power of two. */
static void *grow(struct reader *reader, void *array, int count, size_t size)
{
    void *grown;
    if (count & (count - 1))
        return array;
    grown = topo_realloc(array, count ? 2 * (size_t)count : 1, size);
    reader->out_of_memory = reader->out_of_memory || !grown;
    return grown ? grown : array;
}

static bool get(struct reader *reader, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        unsigned char byte = *reader->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return complain(reader, reader->at < reader->end ? "an integer of more than 64 bits" : "a record ends too early");
}

/* An integer of at most `most`. */
static bool get_up_to(struct reader *reader, uint64_t most, uint64_t *value)
{
    return get(reader, value) && (*value <= most || complain(reader, "a number out of range"));
}

static bool get_int(struct reader *reader, int most, int *value)
{
    uint64_t wide;
    if (!get_up_to(reader, (uint64_t)most, &wide))
        return false;
    *value = (int)wide;
    return true;
}

static bool get_id(struct reader *reader, unsigned *value)
{
    int narrow = 0;
    bool good = get_int(reader, INT_MAX, &narrow);
    *value = (unsigned)narrow;
    return good;
}

/* Definitions count up from 1. */
static bool get_new_id(struct reader *reader, int defined)
{
    int id;
    return get_int(reader, INT_MAX, &id) && (id == defined + 1 || complain(reader, "definitions out of order"));
}

static bool get_text(struct reader *reader, const char **text)
{
    uint64_t length;
    char *copy;
    if (!get(reader, &length))
        return false;
    if (length > (uint64_t)(reader->end - reader->at))
        return complain(reader, "a text longer than its record");
    copy = keep(reader, length + 1, 1);
    if (!copy)
        return false;
    memcpy(copy, reader->at, length);
    reader->at += length;
    *text = copy;
    return true;
}

static bool get_gap(struct reader *reader, struct topo_trace_gap *gap)
{
    return get(reader, &gap->wall) && get(reader, &gap->cpu);
}

static bool read_job(struct reader *reader)
{
    struct topo_trace_job *job = &reader->rank->job;
    uint64_t started, to_rank0;
    if (job->ranks)
        return complain(reader, "a second JOB record");
    if (!get(reader, &job->id) || !get_int(reader, RANKS_MAX, &job->ranks) || !get_int(reader, RANKS_MAX, &job->rank) ||
        !get_text(reader, &job->host) || !get_text(reader, &job->program) || !get_text(reader, &job->version) ||
        !get_int(reader, RANKS_MAX, &job->cpus) || !get(reader, &started) || !get(reader, &to_rank0) ||
        !get(reader, &job->clock) || job->rank >= job->ranks) {
        job->ranks = 0;
        return reader->bad || reader->out_of_memory ? false : complain(reader, "a rank beyond the number of ranks");
    }
    job->started = topo_trace_unzigzag(started);
    job->to_rank0 = topo_trace_unzigzag(to_rank0);
    return true;
}

static bool read_string(struct reader *reader)
{
    const char *text;
    if (!get_new_id(reader, reader->string_count) || !get_text(reader, &text))
        return false;
    reader->strings = grow(reader, (void *)reader->strings, reader->string_count, sizeof *reader->strings);
    if (!reader->out_of_memory)
        reader->strings[reader->string_count++] = text;
    return !reader->out_of_memory;
}

static const char *string_of(const struct reader *reader, unsigned id)
{
    return id > 0 && id <= (unsigned)reader->string_count ? reader->strings[id - 1] : NULL;
}

static bool read_group(struct reader *reader)
{
    struct topo_trace_group group = {0};
    int *world, filled = 0;
    if (!get_new_id(reader, reader->rank->group_count) || !get_int(reader, RANKS_MAX, &group.count) ||
        !get_int(reader, RANKS_MAX, &group.own))
        return false;
    reader->members += group.count;
    if (group.own >= group.count || group.count > reader->rank->job.ranks || reader->members > MEMBERS_MAX)
        return complain(reader, "a group that cannot be");
    world = keep(reader, (size_t)group.count, sizeof *world);
    if (!world)
        return false;
    while (filled < group.count) {
        int first, length;
        uint64_t coded;
        if (!get_int(reader, RANKS_MAX, &first) || !get(reader, &coded) || !get_int(reader, group.count, &length))
            return false;
        int64_t step = topo_trace_unzigzag(coded);
        if (length < 1 || length > group.count - filled || step > RANKS_MAX || step < -RANKS_MAX)
            return complain(reader, "a group that cannot be");
        for (int i = 0; i < length; i++) {
            int64_t member = first + step * i;
            if (member < 0 || member >= reader->rank->job.ranks)
                return complain(reader, "a member beyond the number of ranks");
            world[filled++] = (int)member;
        }
    }
    group.world = world;
    reader->groups = grow(reader, reader->groups, reader->rank->group_count, sizeof *reader->groups);
    if (!reader->out_of_memory)
        reader->groups[reader->rank->group_count++] = group;
    return !reader->out_of_memory;
}

static bool read_vector(struct reader *reader)
{
    struct topo_trace_vector vector = {0};
    uint64_t *bytes;
    if (!get_new_id(reader, reader->rank->vector_count) || !get_int(reader, RANKS_MAX, &vector.count))
        return false;
    if (vector.count > reader->end - reader->at)
        return complain(reader, "a vector longer than its record");
    bytes = keep(reader, (size_t)vector.count, sizeof *bytes);
    for (int i = 0; bytes && i < vector.count; i++)
        if (!get(reader, &bytes[i]))
            return false;
    vector.bytes = bytes;
    reader->vectors = grow(reader, reader->vectors, reader->rank->vector_count, sizeof *reader->vectors);
    if (!reader->out_of_memory)
        reader->vectors[reader->rank->vector_count++] = vector;
    return !reader->out_of_memory;
}

/* Several such records may stand in front of one event. */
static bool read_p2p(struct reader *reader)
{
    struct topo_trace_traffic *traffic = &reader->traffic;
    struct topo_trace_peer *peers;
    uint64_t calls, nanoseconds;
    int more;
    if (!get(reader, &calls) || !get(reader, &nanoseconds) || !get_int(reader, RANKS_MAX, &more))
        return false;
    if (more > reader->end - reader->at)
        return complain(reader, "more peers than their record holds");
    peers = keep(reader, (size_t)(traffic->count + more), sizeof *peers);
    if (!peers)
        return false;
    if (traffic->count)
        memcpy(peers, traffic->peers, (size_t)traffic->count * sizeof *peers);
    for (int i = traffic->count; i < traffic->count + more; i++)
        if (!get_int(reader, reader->rank->job.ranks - 1, &peers[i].rank) || !get(reader, &peers[i].messages) ||
            !get(reader, &peers[i].bytes))
            return false;
    traffic->calls += calls;
    traffic->nanoseconds += nanoseconds;
    traffic->peers = peers;
    traffic->count += more;
    return true;
}

static bool add_event(struct reader *reader, struct topo_trace_event *event)
{
    struct topo_trace_rank *rank = reader->rank;
    if (rank->count == reader->event_room) {
        size_t room = reader->event_room ? 2 * reader->event_room : 256;
        struct topo_trace_event *grown = topo_realloc(rank->events, room, sizeof *grown);
        if (!grown) {
            reader->out_of_memory = true;
            return false;
        }
        rank->events = grown;
        reader->event_room = room;
    }
    event->traffic = reader->traffic;
    reader->traffic = (struct topo_trace_traffic){0};
    rank->events[rank->count++] = *event;
    return true;
}

static bool read_begin(struct reader *reader)
{
    struct topo_trace_event event = {.kind = TOPO_TRACE_EVENT_BEGIN};
    unsigned name, file;
    if (!get_gap(reader, &event.call.gap) || !get_id(reader, &name) || !get_id(reader, &file) ||
        !get(reader, &event.line))
        return false;
    event.name = string_of(reader, name);
    event.file = string_of(reader, file);
    if (reader->depth == DEPTH_MAX)
        return complain(reader, "more than 1000 intervals inside each other");
    reader->depth++;
    return add_event(reader, &event);
}

static bool read_end(struct reader *reader)
{
    struct topo_trace_event event = {.kind = TOPO_TRACE_EVENT_END};
    if (!get_gap(reader, &event.call.gap))
        return false;
    if (!reader->depth)
        return complain(reader, "the end of an interval that did not begin");
    reader->depth--;
    return add_event(reader, &event);
}

static bool read_collective(struct reader *reader)
{
    struct topo_trace_event event = {.kind = TOPO_TRACE_EVENT_COLLECTIVE};
    struct topo_trace_collective *call = &event.call;
    const struct topo_trace_group *group;
    if (!get_gap(reader, &call->gap) || !get_id(reader, &call->op) || !get_id(reader, &call->algorithm) ||
        !get_id(reader, &call->group) || !get_id(reader, &call->root) || !get(reader, &call->bytes) ||
        !get_id(reader, &call->vector) || !get(reader, &call->nanoseconds))
        return false;
    reader->rank->groups = reader->groups;
    reader->rank->vectors = reader->vectors;
    group = topo_trace_group(reader->rank, call->group);
    if (!group || call->root >= (unsigned)group->count)
        return complain(reader, "a collective on a group that was not defined, or with a root outside it");
    event.name = string_of(reader, call->algorithm);
    if (call->vector && !topo_trace_vector(reader->rank, call->vector))
        return complain(reader, "a collective with a vector that was not defined");
    return add_event(reader, &event);
}

static bool read_finish(struct reader *reader)
{
    if (!get_gap(reader, &reader->rank->tail))
        return false;
    reader->rank->tail_traffic = reader->traffic;
    reader->traffic = (struct topo_trace_traffic){0};
    reader->rank->finished = true;
    if (reader->depth)
        return complain(reader, "the program ended inside an interval");
    return true;
}

static bool read_record(struct reader *reader, int type)
{
    uint64_t lost;
    if (!reader->rank->job.ranks && type != TOPO_TRACE_JOB)
        return complain(reader, "the first record is not JOB");
    switch (type) {
    case TOPO_TRACE_JOB: return read_job(reader);
    case TOPO_TRACE_STRING: return read_string(reader);
    case TOPO_TRACE_GROUP: return read_group(reader);
    case TOPO_TRACE_VECTOR: return read_vector(reader);
    case TOPO_TRACE_P2P: return read_p2p(reader);
    case TOPO_TRACE_BEGIN: return read_begin(reader);
    case TOPO_TRACE_END: return read_end(reader);
    case TOPO_TRACE_COLLECTIVE: return read_collective(reader);
    case TOPO_TRACE_FINISH: return read_finish(reader);
    case TOPO_TRACE_LOST:
        if (!get(reader, &lost))
            return false;
        topo_note_error(reader->notes, "%s: %llu records were lost while tracing", reader->rank->path,
                        (unsigned long long)lost);
        reader->bad = true;
        return true;
    default: return true; /* of a later version */
    }
}

static void read_records(struct reader *reader, const unsigned char *end)
{
    while (reader->at < end && *reader->at) {
        int type = *reader->at++;
        uint64_t length;
        reader->end = end;
        if (!get(reader, &length))
            return;
        if (length > (uint64_t)(end - reader->at)) {
            complain(reader, "the file ends inside a record");
            return;
        }
        const unsigned char *next = reader->at + length;
        reader->end = next;
        if (!read_record(reader, type) && type != TOPO_TRACE_END && type != TOPO_TRACE_FINISH)
            return;
        if (reader->out_of_memory)
            return;
        reader->at = next;
    }
}

enum topo_status topo_trace_parse(const void *content, size_t length, const char *path, struct topo_trace_rank *rank,
                                  struct topo_notes *notes)
{
    struct reader reader = {.rank = rank, .notes = notes, .start = content, .at = content};
    *rank = (struct topo_trace_rank){.path = topo_strdup(path)};
    if (!rank->path)
        return TOPO_NOMEM;
    if (length < TOPO_TRACE_MAGIC_BYTES || memcmp(content, TOPO_TRACE_MAGIC, TOPO_TRACE_MAGIC_BYTES) != 0) {
        topo_note_error(notes, "%s: no TopoMPI trace: it does not start with %s", path, TOPO_TRACE_MAGIC);
        return TOPO_PARSE;
    }
    reader.at += TOPO_TRACE_MAGIC_BYTES;
    read_records(&reader, reader.start + length);
    rank->groups = reader.groups;
    rank->vectors = reader.vectors;
    topo_free((void *)reader.strings);
    if (reader.out_of_memory)
        return TOPO_NOMEM;
    if (!rank->job.ranks && !reader.bad)
        complain(&reader, "no JOB record");
    return reader.bad ? TOPO_PARSE : TOPO_OK;
}

void topo_trace_rank_free(struct topo_trace_rank *rank)
{
    while (rank->memory) {
        struct topo_trace_memory *next = rank->memory->next;
        topo_free(rank->memory);
        rank->memory = next;
    }
    topo_free(rank->path);
    topo_free(rank->events);
    topo_free((void *)rank->groups);
    topo_free((void *)rank->vectors);
    *rank = (struct topo_trace_rank){0};
}

const struct topo_trace_group *topo_trace_group(const struct topo_trace_rank *rank, unsigned id)
{
    return id > 0 && id <= (unsigned)rank->group_count ? &rank->groups[id - 1] : NULL;
}

const struct topo_trace_vector *topo_trace_vector(const struct topo_trace_rank *rank, unsigned id)
{
    return id > 0 && id <= (unsigned)rank->vector_count ? &rank->vectors[id - 1] : NULL;
}
