#include "predict/mpi/trace_interval.h"

enum topo_comm_kind topo_trace_comm_kind(unsigned op)
{
#define TRACE_COLLECTIVE(NAME, name, number, communication) \
    if (op == number) \
        return TOPO_COMM_##communication;
#include "trace/collectives.def"
    return TOPO_COMM_REMOTE;
}

bool topo_trace_add_call(struct topo_call_times *times, const struct topo_trace_collective *call, long calls,
                         double communication, double synchronization)
{
    struct topo_call_row row = {.length = call->vector ? TOPO_CALL_VECTORS : topo_call_length(call->bytes),
                                .calls = calls,
                                .communication = communication,
                                .synchronization = synchronization};
#define TRACE_COLLECTIVE(NAME, name, number, kind) \
    if (call->op == number) \
        row.operation = #name;
#include "trace/collectives.def"
    return !row.operation || topo_call_times_add(times, &row);
}

struct topo_interval *topo_trace_open_interval(struct topo_intervals *intervals, struct topo_interval *outer, int rank,
                                               const struct topo_trace_event *event)
{
    struct topo_interval_key key = {
        .kind = TOPO_INTERVAL_USER, .name = event->name, .file = event->file, .line = (long)event->line};
    struct topo_interval *inner = topo_interval_find(intervals, outer, &key);
    if (inner) {
        inner->entries += rank == 0;
        inner->times[rank].took_part = true;
    }
    return inner;
}
