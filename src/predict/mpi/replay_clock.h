/* The clocks of a replay: which rank completes its work next, where
 * ranks may have to share the cores of their node or machine. */
#ifndef TOPO_PREDICT_MPI_REPLAY_CLOCK_H
#define TOPO_PREDICT_MPI_REPLAY_CLOCK_H

#include <stdbool.h>

#include "base/status.h"
#include "machine/tree.h"
#include "model/params.h"

struct replay_clock;

/* At time 0, nobody works. Free with replay_clock_free(), for which NULL is harmless. NULL: out of memory. */
struct replay_clock *replay_clock_new(const struct topo_tree *tree, const struct topo_params *params);
void replay_clock_free(struct replay_clock *clock);

/* `rank` needs `seconds` of a core. Where a unit has fewer cores than ranks it waits
 * for one behind those that came earlier, gives it to them every few milliseconds
 * while they wait, and keeps it when it is through, until replay_clock_release(). */
void replay_clock_work(struct replay_clock *clock, int rank, double seconds);

/* `rank` has to wait for others now: whoever comes next gets its core. */
void replay_clock_release(struct replay_clock *clock, int rank);

/* `rank` goes on `seconds` from now, with what it has. */
void replay_clock_rest(struct replay_clock *clock, int rank, double seconds);

/* Goes on to the next rank that is through (of several the lowest) and returns
 * it; -1: nobody works or rests. */
int replay_clock_next(struct replay_clock *clock);

double replay_clock_now(const struct replay_clock *clock);

#endif
