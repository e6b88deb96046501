/* TOPOMPI_STATS=1: what was called, what ran, how long; a table at finalize. */
#ifndef TOPO_OBSERVE_STATS_H
#define TOPO_OBSERVE_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "catalog/algorithm.h"

/* True when calls are to be timed and counted. Rank 0's are what is shown. */
bool topo_stats_wanted(void);

/* One call of this rank: `algorithm` ran for messages of `bytes` and took
 * `seconds`; the model gives the native one `native` seconds (below 0: it has no
 * time for it, see model/cost.h). */
void topo_stats_add(const struct topo_algorithm *algorithm, size_t bytes, double seconds, double native);

/* Rank 0's table on stderr, once, at finalize. Nothing when nothing is wanted or was called. */
void topo_stats_print(void);

#endif
