/* Plans of exchanges: a message from every rank to every other. */
#ifndef TOPO_PLAN_EXCHANGE_H
#define TOPO_PLAN_EXCHANGE_H

#include "plan/forms.h"

/* Between all ranks; between the first ranks of all nodes, whose messages are what their nodes send each other: on
 * other ranks it is empty. */
topo_plan_function topo_plan_exchange, topo_plan_exchange_firsts;

/* Whether a form is one of these. */
static inline bool topo_plan_is_exchange(topo_plan_function *form)
{
    return form == topo_plan_exchange || form == topo_plan_exchange_firsts;
}

/* What a rank waits for after each step of a schedule (docs/REFERENCES.md, Schedule 5 and Redistribution 5): nothing,
 * its sends, its sends and receives, or both but after uneven steps alone. */
enum topo_steps_sync { TOPO_SYNC_NONE, TOPO_SYNC_SEND, TOPO_SYNC_SENDRECV, TOPO_SYNC_UNEVEN };

/* A message of this rank in a schedule, or a part of it. */
struct topo_step_task {
    int64_t step, send, peer; /* send: 1, receive: 0 */
    int64_t offset, bytes;    /* the part */
    int64_t whole;            /* bytes of the message in the matrix */
    int64_t uneven;           /* 1: the step's senders have different totals (topo_schedule_uneven()) */
};

/* Between all ranks in the steps of a schedule: this rank's list, by step. What no step moves follows after the last
 * one: which messages that are the call says. As all ranks hold the same schedule and none waits for a message of a
 * later step, there is no circle of waiting. Errors: TOPO_NOMEM. */
enum topo_status topo_plan_exchange_steps(const struct topo_plan_input *in, const struct topo_step_task *list,
                                          int count, enum topo_steps_sync sync, struct topo_plan *plan);

#endif
