#include "schedule/contention.h"

#include <stdlib.h>

#include "base/memory.h"

/* A piece begins (1) or ends (-1) at its receiver. */
struct event {
    int receiver, change;
    int64_t time;
};

static int earlier(const void *left, const void *right)
{
    const struct event *a = left, *b = right;
    if (a->receiver != b->receiver)
        return a->receiver < b->receiver ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->change - b->change; /* who ends makes room for who begins */
}

enum topo_status topo_schedule_meetings(const struct topo_schedule *schedule, int64_t *start, int64_t *ready,
                                        struct topo_meeting **meeting, int64_t *count, struct topo_error *error)
{
    int64_t pieces = schedule->first[schedule->steps];
    TOPO_SCOPED int64_t *clock = topo_calloc((size_t)schedule->senders, sizeof *clock);
    TOPO_SCOPED struct event *event = topo_alloc(2 * (size_t)pieces, sizeof *event);
    TOPO_SCOPED struct topo_meeting *found = topo_alloc(2 * (size_t)pieces, sizeof *found);
    *meeting = NULL;
    *count = 0;
    if (!clock || !event || !found)
        return topo_fail(error, TOPO_NOMEM, "out of memory for the meetings of %lld messages", (long long)pieces);
    for (int64_t p = 0; p < pieces; p++) {
        const struct topo_piece *piece = &schedule->piece[p];
        start[p] = clock[piece->sender];
        clock[piece->sender] += piece->weight;
        event[2 * p] = (struct event){piece->receiver, 1, start[p]};
        event[2 * p + 1] = (struct event){piece->receiver, -1, clock[piece->sender]};
    }
    for (int i = 0; ready && i < schedule->senders; i++)
        ready[i] = clock[i];
    qsort(event, 2 * (size_t)pieces, sizeof *event, earlier);
    for (int64_t e = 0, senders = 0; e < 2 * pieces; e++) {
        senders += event[e].change;
        if (senders > 1 && event[e + 1].time > event[e].time)
            found[(*count)++] =
                (struct topo_meeting){event[e].receiver, (int)senders, event[e].time, event[e + 1].time};
    }
    *meeting = TOPO_KEPT(found);
    return TOPO_OK;
}

enum topo_status topo_schedule_contention(const struct topo_schedule *schedule, int64_t *contention,
                                          struct topo_error *error)
{
    TOPO_SCOPED int64_t *start = topo_alloc((size_t)schedule->first[schedule->steps], sizeof *start);
    TOPO_SCOPED struct topo_meeting *meeting = NULL;
    int64_t count = 0;
    enum topo_status status = start ? topo_schedule_meetings(schedule, start, NULL, &meeting, &count, error)
                                    : topo_fail(error, TOPO_NOMEM, "out of memory for the meetings of a schedule");
    *contention = 0;
    for (int64_t i = 0; i < count; i++)
        *contention += meeting[i].senders * (meeting[i].to - meeting[i].from);
    return status;
}
