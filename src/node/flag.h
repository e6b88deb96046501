/* Counters in node-shared memory that ranks of a node raise and wait for.
 *
 * A counter only grows (modulo 2^32; the ranks are never 2^31 apart). What a rank
 * wrote before it raised a counter is seen by every rank that found it raised:
 * raising is a release, polling an acquire operation. */
#ifndef TOPO_NODE_FLAG_H
#define TOPO_NODE_FLAG_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "job/channel.h"

/* On a line of its own, on which there is room for a short payload: who finds the counter raised has it as well. */
enum { TOPO_FLAG_BESIDE = 56 };

struct topo_flag {
    alignas(64) _Atomic uint32_t value;
    alignas(8) char beside[TOPO_FLAG_BESIDE];
};
_Static_assert(sizeof(struct topo_flag) == 64, "one line");

/* How a rank waits. */
struct topo_wait_policy {
    const struct topo_channel *channel; /* where MPI is asked to make progress */
    int self;                           /* this rank in it */
    bool oversubscribed;                /* more ranks than processors: give the processor away at once */
    /* Open MPI's, where they are found: its progress, and whether that gives the processor away when nothing moved. */
    int (*progress)(void);
    bool *mpi_yields;
};

/* How rank `self` of the channel waits; `oversubscribed`: the ranks of its node share processors. Looks for Open MPI's
 * progress function in the process; with another MPI library there is none. The channel is not copied. */
struct topo_wait_policy topo_wait_policy_of(const struct topo_channel *channel, int self, bool oversubscribed);

/* True when the counter is at `target` or beyond. */
static inline bool topo_flag_reached(const struct topo_flag *flag, uint32_t target)
{
    return (int32_t)(atomic_load_explicit(&flag->value, memory_order_acquire) - target) >= 0;
}

/* Adds to the counter; returns its new value. */
uint32_t topo_flag_add(struct topo_flag *flag, uint32_t add);

/* Sets the counter, which nobody else raises. */
void topo_flag_set(struct topo_flag *flag, uint32_t value);

/* Waits until the counter is at `target` or beyond. Yields the processor
 * soon, and lets MPI make progress as often as a rank that waits in MPI
 * does: another rank may be stuck in a send to this one and not come to raise the
 * counter before that is through (MPI 3.1, section 3.5, progress), or access its
 * memory all the while. */
void topo_flag_wait(struct topo_flag *flag, uint32_t target, const struct topo_wait_policy *wait_policy);

/* Lets MPI make progress once, for a rank that need not wait: it keeps its processor. */
void topo_flag_progress(const struct topo_wait_policy *wait_policy);

/* One idle iteration of a loop that looks for work of several kinds itself: *iterations
 * counts idle iterations in a row and starts at 0. `ask`: the loop had nothing to ask
 * MPI about in this iteration, so MPI is to make progress here. */
void topo_idle(int *iterations, bool ask, const struct topo_wait_policy *wait_policy);

#endif
