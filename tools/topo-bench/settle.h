/* What `auto` finds out in the calls before the samples, and what it takes then. */
#ifndef TOPO_BENCH_SETTLE_H
#define TOPO_BENCH_SETTLE_H

#include "topo-bench/measure.h"

/* What MPI_Bcast and MPI_Reduce asked for without waiting is made here, as in a program's next call in which all ranks
 * wait. Collective over the communicator. */
void bench_grant(const struct bench_run *run);

/* What `auto` runs in calls of `bytes`, by what it found out in its calls so far (coll/call/guard.h). */
const struct topo_algorithm *bench_taken(const struct bench_run *run, size_t bytes, bool *settled);

/* Calls of `auto` until it has found out what is faster, as in a program that calls often: for 5 seconds and 32 calls,
 * and no more than 200,000. Each communicator by itself. */
void bench_settle(const struct bench_run *run, struct bench_call *call, const struct bench_variant *variant);

#endif
