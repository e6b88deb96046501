#include "trace/fields.h"

bool topo_trace_read_job(struct topo_trace_reader *reader)
{
    struct topo_trace_job *job = &reader->rank->job;
    uint64_t started, to_rank0;
    if (job->ranks)
        return topo_trace_complain(reader, "a second JOB record");
    if (!topo_trace_get(reader, &job->id) || !topo_trace_get_int(reader, TOPO_TRACE_RANKS_MAX, &job->ranks) ||
        !topo_trace_get_int(reader, TOPO_TRACE_RANKS_MAX, &job->rank) || !topo_trace_get_text(reader, &job->host) ||
        !topo_trace_get_text(reader, &job->program) || !topo_trace_get_text(reader, &job->version) ||
        !topo_trace_get_int(reader, TOPO_TRACE_RANKS_MAX, &job->cpus) || !topo_trace_get(reader, &started) ||
        !topo_trace_get(reader, &to_rank0) || !topo_trace_get(reader, &job->clock) || job->rank >= job->ranks) {
        job->ranks = 0;
        return reader->bad || reader->out_of_memory ? false
                                                    : topo_trace_complain(reader, "a rank beyond the number of ranks");
    }
    job->started = topo_trace_unzigzag(started);
    job->to_rank0 = topo_trace_unzigzag(to_rank0);
    return true;
}

bool topo_trace_read_string(struct topo_trace_reader *reader)
{
    const char *text;
    if (!topo_trace_get_new_id(reader, reader->string_count) || !topo_trace_get_text(reader, &text))
        return false;
    reader->strings = topo_trace_grow(reader, (void *)reader->strings, reader->string_count, sizeof *reader->strings);
    if (!reader->out_of_memory)
        reader->strings[reader->string_count++] = text;
    return !reader->out_of_memory;
}

const char *topo_trace_string_of(const struct topo_trace_reader *reader, unsigned id)
{
    return id > 0 && id <= (unsigned)reader->string_count ? reader->strings[id - 1] : NULL;
}

bool topo_trace_read_group(struct topo_trace_reader *reader)
{
    struct topo_trace_group group = {0};
    int *world, filled = 0;
    if (!topo_trace_get_new_id(reader, reader->rank->group_count) ||
        !topo_trace_get_int(reader, TOPO_TRACE_RANKS_MAX, &group.count) ||
        !topo_trace_get_int(reader, TOPO_TRACE_RANKS_MAX, &group.own))
        return false;
    reader->members += group.count;
    if (group.own >= group.count || group.count > reader->rank->job.ranks || reader->members > TOPO_TRACE_MEMBERS_MAX)
        return topo_trace_complain(reader, "a group that cannot be");
    world = topo_trace_keep(reader, (size_t)group.count, sizeof *world);
    if (!world)
        return false;
    while (filled < group.count) {
        int first, length;
        uint64_t coded;
        if (!topo_trace_get_int(reader, TOPO_TRACE_RANKS_MAX, &first) || !topo_trace_get(reader, &coded) ||
            !topo_trace_get_int(reader, group.count, &length))
            return false;
        int64_t step = topo_trace_unzigzag(coded);
        if (length < 1 || length > group.count - filled || step > TOPO_TRACE_RANKS_MAX || step < -TOPO_TRACE_RANKS_MAX)
            return topo_trace_complain(reader, "a group that cannot be");
        for (int i = 0; i < length; i++) {
            int64_t member = first + step * i;
            if (member < 0 || member >= reader->rank->job.ranks)
                return topo_trace_complain(reader, "a member beyond the number of ranks");
            world[filled++] = (int)member;
        }
    }
    if (world[group.own] != reader->rank->job.rank)
        return topo_trace_complain(reader, "a group without the rank itself");
    group.world = world;
    reader->groups = topo_trace_grow(reader, reader->groups, reader->rank->group_count, sizeof *reader->groups);
    if (!reader->out_of_memory)
        reader->groups[reader->rank->group_count++] = group;
    return !reader->out_of_memory;
}

bool topo_trace_read_vector(struct topo_trace_reader *reader)
{
    struct topo_trace_vector vector = {0};
    uint64_t *bytes;
    if (!topo_trace_get_new_id(reader, reader->rank->vector_count) ||
        !topo_trace_get_int(reader, TOPO_TRACE_RANKS_MAX, &vector.count))
        return false;
    if (vector.count > reader->end - reader->at)
        return topo_trace_complain(reader, "a vector longer than its record");
    bytes = topo_trace_keep(reader, (size_t)vector.count, sizeof *bytes);
    for (int i = 0; bytes && i < vector.count; i++)
        if (!topo_trace_get(reader, &bytes[i]))
            return false;
    vector.bytes = bytes;
    reader->vectors = topo_trace_grow(reader, reader->vectors, reader->rank->vector_count, sizeof *reader->vectors);
    if (!reader->out_of_memory)
        reader->vectors[reader->rank->vector_count++] = vector;
    return !reader->out_of_memory;
}
