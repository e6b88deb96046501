/* The order in which the list schedulers look at messages, and first fit. Internal to schedule/. */
#ifndef TOPO_SCHEDULE_ORDER_H
#define TOPO_SCHEDULE_ORDER_H

#include <stdbool.h>

#include "schedule/matrix.h"

/* order[messages] = the messages by decreasing weight; equal ones by (receiver -
 * sender) mod the larger side, then by sender: a full matrix of equal messages is
 * then taken permutation by permutation, where row by row first fit would need up
 * to twice as many steps. False when memory is out. */
bool topo_order_by_weight(const struct topo_matrix *matrix, int64_t *order);

/* Messages by their ends alone, as first fit sees them; several of one pair are allowed. */
struct topo_ends {
    int senders, receivers;
    int64_t count;
    const int *sender, *receiver; /* [count] */
};

/* step_of[order[k]] = the first step in which neither its sender nor its receiver
 * takes part yet, in the order given. This is what walking the list once per step
 * and taking what does not conflict gives, too: a message is left out of a step
 * exactly when an earlier one of the list that was not left out conflicts with
 * it. *steps = number of steps. False when memory is out. */
bool topo_first_fit(const struct topo_ends *ends, const int64_t *order, int *step_of, int *steps);

/* The ends of a matrix's messages. */
static inline struct topo_ends topo_ends_of(const struct topo_matrix *matrix)
{
    return (struct topo_ends){matrix->senders, matrix->receivers, matrix->messages, matrix->sender, matrix->receiver};
}

#endif
