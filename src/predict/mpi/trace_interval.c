#include "predict/mpi/trace_interval.h"

enum topo_comm_kind topo_trace_comm_kind(unsigned op)
{
    static const enum topo_comm_kind kinds[TOPO_TRACE_OPS] = {
#define X(id, number, word, kind) [number] = TOPO_COMM_##kind,
        TOPO_TRACE_OP_MAP(X)
#undef X
    };
    return op < TOPO_TRACE_OPS ? kinds[op] : TOPO_COMM_REMOTE;
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
