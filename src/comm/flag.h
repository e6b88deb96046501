/* Counters in node-shared memory that ranks of a node raise and wait for.
 *
 * A counter only grows (modulo 2^32; the ranks are never 2^31 apart). What a rank
 * wrote before it raised a counter is seen by every rank that found it raised:
 * raising is a release, looking an acquire operation. */
#ifndef TOPO_COMM_FLAG_H
#define TOPO_COMM_FLAG_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "comm/channel.h"

struct topo_flag {
    alignas(64) _Atomic uint32_t value;
    _Atomic uint32_t sleepers; /* ranks that wait in the kernel */
};

/* How a rank waits. */
struct topo_patience {
    const struct topo_channel *channel; /* where MPI is asked to make progress */
    int self;                           /* this rank in it */
    bool crowded;                       /* more ranks than processors: give the processor away at once */
};

/* True when the counter is at `target` or beyond. */
static inline bool topo_flag_reached(const struct topo_flag *flag, uint32_t target)
{
    return (int32_t)(atomic_load_explicit(&flag->value, memory_order_acquire) - target) >= 0;
}

/* Adds to the counter; returns its new value. Wakes the sleepers when that is `wake_at`. */
uint32_t topo_flag_add(struct topo_flag *flag, uint32_t add, uint32_t wake_at);

/* Sets the counter, which nobody else raises, and wakes the sleepers. */
void topo_flag_set(struct topo_flag *flag, uint32_t value);

/* Waits until the counter is at `target` or beyond. Turns the processor over to
 * others soon, sleeps when that is not enough, and lets MPI make progress all
 * the while: another rank may be stuck in a send to this one and not come to
 * raise the counter before that is through (MPI 3.1, section 3.5, progress). */
void topo_flag_wait(struct topo_flag *flag, uint32_t target, const struct topo_patience *patience);

/* One idle turn of a loop that looks for work of several kinds itself: *turns
 * counts idle turns in a row and starts at 0. */
void topo_idle(int *turns, const struct topo_patience *patience);

/* Lets MPI handle what has arrived. */
void topo_progress(const struct topo_patience *patience);

#endif
