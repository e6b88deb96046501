/* Who meets whom at a receiver when no sender waits for the end of a step (docs/REFERENCES.md, Redistribution 7). */
#ifndef TOPO_SCHEDULE_CONTENTION_H
#define TOPO_SCHEDULE_CONTENTION_H

#include "schedule/schedule.h"

/* A time in which several senders send to one receiver. Times are in the unit of the weights. */
struct topo_meeting {
    int receiver, senders;
    int64_t from, to;
};

/* Every sender sends its pieces in the order of the steps, one right after the other, each for as long as its weight:
 * start[p] is when piece p begins, ready[i] when sender i is through (NULL: not wanted). (*meeting)[*count], by
 * receiver, then time, and parts of one meeting with other numbers of senders apart. Sum of senders * (to - from): what
 * is sent while another sender sends to the same receiver; 0 where steps have pieces of one weight and no conflicts.
 * Free with topo_free(). Errors: TOPO_NOMEM. O(pieces log pieces). */
enum topo_status topo_schedule_meetings(const struct topo_schedule *schedule, int64_t *start, int64_t *ready,
                                        struct topo_meeting **meeting, int64_t *count, struct topo_error *error);

/* That sum. Errors: TOPO_NOMEM. */
enum topo_status topo_schedule_contention(const struct topo_schedule *schedule, int64_t *contention,
                                          struct topo_error *error);

#endif
