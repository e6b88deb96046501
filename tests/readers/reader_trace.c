/* The trace of one rank of an MPI program. */
#include "readers/readers.h"

#include "trace/read.h"

static void check_traffic(const struct topo_trace_rank *rank, const struct topo_trace_traffic *traffic)
{
    for (int i = 0; i < traffic->count; i++)
        MUST(traffic->peers[i].rank >= 0 && traffic->peers[i].rank < rank->job.ranks, "a message to rank %d",
             traffic->peers[i].rank);
}

static void check_groups(const struct topo_trace_rank *rank)
{
    for (int g = 0; g < rank->group_count; g++) {
        const struct topo_trace_group *group = topo_trace_group(rank, (unsigned)g + 1);
        MUST(group && group->own >= 0 && group->own < group->count && group->world[group->own] == rank->job.rank,
             "group %d", g);
        for (int i = 0; i < group->count; i++)
            MUST(group->world[i] >= 0 && group->world[i] < rank->job.ranks, "member %d", group->world[i]);
    }
}

static void check_rank(const struct topo_trace_rank *rank)
{
    int depth = 0;
    check_groups(rank);
    for (size_t i = 0; i < rank->count; i++) {
        const struct topo_trace_event *event = &rank->events[i];
        check_traffic(rank, &event->traffic);
        depth += event->kind == TOPO_TRACE_EVENT_BEGIN;
        depth -= event->kind == TOPO_TRACE_EVENT_END;
        MUST(depth >= 0, "event %zu ends what did not begin", i);
        if (event->kind != TOPO_TRACE_EVENT_COLLECTIVE)
            continue;
        const struct topo_trace_group *group = topo_trace_group(rank, event->call.group);
        MUST(group && event->call.root < (unsigned)group->count, "root %u", event->call.root);
        MUST(!event->call.vector || topo_trace_vector(rank, event->call.vector), "vector %u", event->call.vector);
    }
    check_traffic(rank, &rank->tail_traffic);
}

READER(trace)
{
    struct topo_trace_rank rank;
    struct topo_notes notes = {0};
    enum topo_status status = topo_trace_parse(data, size, "f", &rank, &notes);
    reader_notes(status, &notes);
    if (rank.job.ranks)
        MUST(rank.job.rank >= 0 && rank.job.rank < rank.job.ranks && rank.job.host && rank.job.program, "the job");
    check_rank(&rank);
    topo_trace_rank_free(&rank);
    reader_scarce(data, size);
    topo_trace_parse(data, size, "f", &rank, &notes);
    reader_plenty();
    topo_trace_rank_free(&rank);
    topo_notes_free(&notes);
    return 0;
}
