/* CSS where algorithm 1 does not apply (docs/REFERENCES.md, Redistribution 5). Internal to schedule/. */
#ifndef TOPO_SCHEDULE_BLOCKS_H
#define TOPO_SCHEDULE_BLOCKS_H

#include "schedule/recurrence.h"

/* step_of[messages] and *steps by algorithm 2 with a shift that holds: equal
 * blocks form groups, taken by decreasing largest message, inside a group in the
 * order of the recurrence, forwards and backwards in turn; into a step go
 * messages of receivers not in it yet, as long as no sender's total is above the
 * step's largest message. False when memory is out. */
bool topo_css_blocks(const struct topo_matrix *matrix, struct topo_shift shift, int *step_of, int *steps);

/* Fewer steps: eliminates steps by moving their messages, and messages in their
 * way (chains of a few), into others, as long as receivers stay unique and the
 * sum over the steps of the largest sender's total does not grow. False when
 * memory is out. */
bool topo_css_eliminate_step(const struct topo_matrix *matrix, int *step_of, int *steps);

/* One length a step, as in algorithm 1, without a recurrence: the messages of each
 * length take exactly as many steps as the busiest of their senders and receivers
 * has of them (König), longest first. Where every vertex has its share of every
 * length, as in whole periods of a redistribution, the duration is W. */
struct topo_css_lengths {
    int steps;
    int64_t duration;
};

/* What it would take. False when memory is out. */
bool topo_css_lengths_cost(const struct topo_matrix *matrix, struct topo_css_lengths *cost);

/* step_of[messages] and *steps. Each sender and receiver takes part once a step.
 * O(messages * senders) at worst, a few messages each in practice. False when
 * memory is out. */
bool topo_css_lengths(const struct topo_matrix *matrix, int *step_of, int *steps);

#endif
