/* TOPOMPI_STATS=1: what was called, what ran, how long; a table at finalize. */
#ifndef TOPO_OBSERVE_STATS_H
#define TOPO_OBSERVE_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "catalog/algorithm.h"
#include "catalog/passed.h"

/* Calls of this process that are not taken over; NULL where nobody counts them. */
extern const struct topo_passed_calls *topo_stats_passed;

/* True when calls are to be timed and counted. Rank 0's are what is shown. */
bool topo_stats_wanted(void);

/* True when the report shows the model's times of native calls: the model was measured on this machine. */
bool topo_stats_model(void);

/* As the library starts: the time from which shares of the run are taken. */
void topo_stats_start(void);

/* One call of this rank: `algorithm` ran for messages of `bytes` and took `seconds`; the native one takes `modelled`
 * seconds by the model (model/cost.h) and `native` in calls of this communicator and size, which are compared with
 * `ours` of this one (coll/call/guard.h). Below 0: not known. */
void topo_stats_add(const struct topo_algorithm *algorithm, size_t bytes, double seconds, double modelled,
                    double native, double ours);

/* Rank 0's report, once, at finalize: what ran where, a line for each operation, size and algorithm, the total, and how
 * often collectives were called that are not taken over; a table on stderr, or JSON there or in a file. Nothing when
 * nothing is wanted. */
void topo_stats_print(void);

#endif
