/* One file of a trace. */
#include "trace/fields.h"

#include <string.h>

#include "base/memory.h"

/* Room for `more` peers behind those of traffic->peers, which moves into a block twice as large when its own is full:
 * thousands of records in front of one event take no more than twice what they hold. NULL: out of memory. */
static struct topo_trace_peer *peers_room(struct topo_trace_reader *reader, int more)
{
    struct topo_trace_traffic *traffic = &reader->traffic;
    int need = traffic->count + more;
    if (need > reader->peer_room || !traffic->peers) {
        int room = need > 2 * reader->peer_room ? need : 2 * reader->peer_room;
        struct topo_trace_peer *peers = topo_trace_keep(reader, (size_t)room, sizeof *peers);
        if (!peers)
            return NULL;
        if (traffic->count)
            memcpy(peers, traffic->peers, (size_t)traffic->count * sizeof *peers);
        reader->peer_room = room;
        traffic->peers = peers;
    }
    return (struct topo_trace_peer *)traffic->peers;
}

/* Several such records may stand in front of one event. */
static bool read_p2p(struct topo_trace_reader *reader)
{
    struct topo_trace_traffic *traffic = &reader->traffic;
    struct topo_trace_peer *peers;
    uint64_t calls, nanoseconds;
    int more;
    if (!topo_trace_get(reader, &calls) || !topo_trace_get(reader, &nanoseconds) ||
        !topo_trace_get_int(reader, TOPO_TRACE_RANKS_MAX, &more))
        return false;
    if (more > reader->end - reader->at)
        return topo_trace_complain(reader, "more peers than their record holds");
    peers = peers_room(reader, more);
    if (!peers)
        return false;
    for (int i = traffic->count; i < traffic->count + more; i++)
        if (!topo_trace_get_int(reader, reader->rank->job.ranks - 1, &peers[i].rank) ||
            !topo_trace_get(reader, &peers[i].messages) || !topo_trace_get(reader, &peers[i].bytes))
            return false;
    traffic->calls += calls;
    traffic->nanoseconds += nanoseconds;
    traffic->count += more;
    return true;
}

static bool add_event(struct topo_trace_reader *reader, struct topo_trace_event *event)
{
    struct topo_trace_rank *rank = reader->rank;
    if (!topo_grow(&rank->events, rank->count, sizeof *rank->events)) {
        reader->out_of_memory = true;
        return false;
    }
    event->traffic = reader->traffic;
    reader->traffic = (struct topo_trace_traffic){0};
    reader->peer_room = 0;
    rank->events[rank->count++] = *event;
    return true;
}

static bool read_begin(struct topo_trace_reader *reader)
{
    struct topo_trace_event event = {.kind = TOPO_TRACE_EVENT_BEGIN};
    unsigned name, file;
    if (!topo_trace_get_gap(reader, &event.call.gap) || !topo_trace_get_id(reader, &name) ||
        !topo_trace_get_id(reader, &file) || !topo_trace_get(reader, &event.line))
        return false;
    event.name = topo_trace_string_of(reader, name);
    event.file = topo_trace_string_of(reader, file);
    if (reader->depth == TOPO_TRACE_DEPTH_MAX)
        return topo_trace_complain(reader, "more than 1000 intervals inside each other");
    reader->depth++;
    return add_event(reader, &event);
}

static bool read_end(struct topo_trace_reader *reader)
{
    struct topo_trace_event event = {.kind = TOPO_TRACE_EVENT_END};
    if (!topo_trace_get_gap(reader, &event.call.gap))
        return false;
    if (!reader->depth)
        return topo_trace_complain(reader, "the end of an interval that did not begin");
    reader->depth--;
    return add_event(reader, &event);
}

static bool read_collective(struct topo_trace_reader *reader)
{
    struct topo_trace_event event = {.kind = TOPO_TRACE_EVENT_COLLECTIVE};
    struct topo_trace_collective *call = &event.call;
    const struct topo_trace_group *group;
    if (!topo_trace_get_gap(reader, &call->gap) || !topo_trace_get_id(reader, &call->op) ||
        !topo_trace_get_id(reader, &call->algorithm) || !topo_trace_get_id(reader, &call->group) ||
        !topo_trace_get_id(reader, &call->root) || !topo_trace_get(reader, &call->bytes) ||
        !topo_trace_get_id(reader, &call->vector) || !topo_trace_get(reader, &call->nanoseconds))
        return false;
    reader->rank->groups = reader->groups;
    reader->rank->vectors = reader->vectors;
    group = topo_trace_group(reader->rank, call->group);
    if (!group || call->root >= (unsigned)group->count)
        return topo_trace_complain(reader, "a collective on a group that was not defined, or with a root outside it");
    event.name = topo_trace_string_of(reader, call->algorithm);
    if (call->vector && !topo_trace_vector(reader->rank, call->vector))
        return topo_trace_complain(reader, "a collective with a vector that was not defined");
    return add_event(reader, &event);
}

static bool read_finish(struct topo_trace_reader *reader)
{
    if (!topo_trace_get_gap(reader, &reader->rank->tail))
        return false;
    reader->rank->tail_traffic = reader->traffic;
    reader->traffic = (struct topo_trace_traffic){0};
    reader->peer_room = 0;
    reader->rank->finished = true;
    if (reader->depth)
        return topo_trace_complain(reader, "the program ended inside an interval");
    return true;
}

static bool read_record(struct topo_trace_reader *reader, int type)
{
    uint64_t lost;
    if (!reader->rank->job.ranks && type != TOPO_TRACE_JOB)
        return topo_trace_complain(reader, "the first record is not JOB");
    switch (type) {
    case TOPO_TRACE_JOB: return topo_trace_read_job(reader);
    case TOPO_TRACE_STRING: return topo_trace_read_string(reader);
    case TOPO_TRACE_GROUP: return topo_trace_read_group(reader);
    case TOPO_TRACE_VECTOR: return topo_trace_read_vector(reader);
    case TOPO_TRACE_P2P: return read_p2p(reader);
    case TOPO_TRACE_BEGIN: return read_begin(reader);
    case TOPO_TRACE_END: return read_end(reader);
    case TOPO_TRACE_COLLECTIVE: return read_collective(reader);
    case TOPO_TRACE_FINISH: return read_finish(reader);
    case TOPO_TRACE_LOST:
        if (!topo_trace_get(reader, &lost))
            return false;
        topo_note_error(reader->notes, "%s: %llu records were lost while tracing", reader->rank->path,
                        (unsigned long long)lost);
        reader->bad = true;
        return true;
    default: return true; /* of a later version */
    }
}

static void read_records(struct topo_trace_reader *reader, const unsigned char *end)
{
    while (reader->at < end && *reader->at) {
        int type = *reader->at++;
        uint64_t length;
        reader->end = end;
        if (!topo_trace_get(reader, &length))
            return;
        if (length > (uint64_t)(end - reader->at)) {
            topo_trace_complain(reader, "the file ends inside a record");
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
    struct topo_trace_reader reader = {.rank = rank, .notes = notes, .start = content, .at = content};
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
        topo_trace_complain(&reader, "no JOB record");
    return reader.bad ? TOPO_PARSE : TOPO_OK;
}

void topo_trace_rank_free(struct topo_trace_rank *rank)
{
    while (rank->memory) {
        struct topo_trace_memory *next = rank->memory->next;
        topo_free(rank->memory);
        rank->memory = next;
    }
    topo_free_all(rank->path, rank->events, (void *)rank->groups, (void *)rank->vectors);
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
