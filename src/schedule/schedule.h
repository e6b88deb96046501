/* Schedules of an exchange: steps of messages, what they cost, and whether they are right. */
#ifndef TOPO_SCHEDULE_SCHEDULE_H
#define TOPO_SCHEDULE_SCHEDULE_H

#include "base/memory.h"
#include "base/status.h"
#include "plan/exchange.h"
#include "schedule/matrix.h"

/* A message, or a part of one, in a step. */
struct topo_piece {
    int sender, receiver;
    int64_t offset; /* where the part begins in its message; 0 for a whole message */
    int64_t weight; /* > 0, in the unit of the matrix */
};

/* The one form of every scheduler's result. Step t is piece[first[t]] ..
 * piece[first[t+1]-1], by sender, then receiver; no step is empty. The parts of
 * one message lie in different steps and follow one another: a part begins where
 * the parts in earlier steps end. */
struct topo_schedule {
    int senders, receivers, steps;
    int64_t *first; /* [steps + 1] */
    struct topo_piece *piece;
};

/* Part of message `message` of a matrix, before it is in a schedule. */
struct topo_part {
    int64_t message;
    int64_t weight;
    int step;
};

/* What a schedule promises of each step. */
enum topo_schedule_rule {
    TOPO_RULE_NONE,     /* nothing */
    TOPO_RULE_RECEIVER, /* a receiver takes part in one message (css, algorithm 2) */
    TOPO_RULE_MATCHING  /* sender and receiver take part in one message each (drc, sdrc, ggp) */
};

/* What is compared between schedules. A vertex's load in a step is the weight it
 * sends, or the weight it receives; with one message a vertex it is that message. */
struct topo_schedule_figures {
    int steps;
    int64_t pieces;
    int64_t duration;  /* sum over the steps of the largest load */
    int64_t bound;     /* W(G): no schedule without conflicts has a smaller duration */
    int64_t conflicts; /* pieces that meet another one at their receiver in the same step */
    int uneven;        /* steps whose senders' loads differ (topo_schedule_uneven()) */
};

/* Makes a schedule of `count` parts in any order, steps 0 .. steps-1. Parts of one
 * message in one step become one piece, empty steps are left out, offsets are set
 * in the order of the steps. Free with topo_schedule_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_schedule_new(const struct topo_matrix *matrix, const struct topo_part *parts, int64_t count,
                                   int steps, struct topo_schedule **schedule, struct topo_error *error);

/* The same of whole messages: message e goes in step step_of[e]. */
enum topo_status topo_schedule_whole(const struct topo_matrix *matrix, const int *step_of, int steps,
                                     struct topo_schedule **schedule, struct topo_error *error);

/* NULL is harmless. */
void topo_schedule_free(struct topo_schedule *schedule);
TOPO_SCOPED_TYPE(topo_schedule)

/* Every message of the matrix once, parts adding up and following one another,
 * nothing else, no empty step, and `rule` kept in every step. Errors:
 * TOPO_INTERNAL saying what is wrong, TOPO_NOMEM. */
enum topo_status topo_schedule_check(const struct topo_schedule *schedule, const struct topo_matrix *matrix,
                                     enum topo_schedule_rule rule, struct topo_error *error);

/* (*uneven)[steps]: the senders that take part in the step have different loads. Whoever carries out the schedule
 * separates such a step from the next one by a synchronisation (docs/REFERENCES.md, Redistribution 5). Free with
 * topo_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_schedule_uneven(const struct topo_schedule *schedule, bool **uneven, struct topo_error *error);

/* What each of the ranks does, which are senders and receivers, those entries of one rank together and by step. */
struct topo_schedule_lists {
    struct topo_step_task *task;
    int *counts, *places; /* [ranks] how many a rank has, and where they begin */
};

/* Cuts a schedule of this matrix into them; it may have what ranks send to themselves, which no entry is for. Free with
 * topo_schedule_lists_free() in every case. Errors: TOPO_NOMEM, also where there is more than MPI can count. */
enum topo_status topo_schedule_cut(const struct topo_schedule *schedule, const struct topo_matrix *matrix,
                                   struct topo_schedule_lists *lists);
void topo_schedule_lists_free(struct topo_schedule_lists *lists);

/* Fills *figures. Errors: TOPO_NOMEM. */
enum topo_status topo_schedule_figures(const struct topo_schedule *schedule, const struct topo_matrix *matrix,
                                       struct topo_schedule_figures *figures, struct topo_error *error);

/* -- Schedulers. Each gives a schedule to be freed with topo_schedule_free(); errors TOPO_NOMEM. -- */

/* No schedule (docs/REFERENCES.md, Redistribution 7): sender i sends to i, i+1, ... mod the number
 * of receivers, whatever the weights. Free of conflicts where there are no more
 * senders than receivers; TOPO_RULE_NONE otherwise. */
enum topo_status topo_schedule_direct(const struct topo_matrix *matrix, struct topo_schedule **schedule,
                                      struct topo_error *error);

/* sDRC (docs/REFERENCES.md, Schedule 2). TOPO_RULE_MATCHING. O(messages * degree / 64). */
enum topo_status topo_schedule_sdrc(const struct topo_matrix *matrix, struct topo_schedule **schedule,
                                    struct topo_error *error);

/* DRC (docs/REFERENCES.md, Schedule 3): sDRC until no vertex has more than two messages left,
 * then two colours. TOPO_RULE_MATCHING. O(messages * degree / 64). */
enum topo_status topo_schedule_drc(const struct topo_matrix *matrix, struct topo_schedule **schedule,
                                   struct topo_error *error);

#endif
