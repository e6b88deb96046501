/* What the collectives of a replay take: the model, asked once for equal calls. */
#ifndef TOPO_PREDICT_MPI_REPLAY_COST_H
#define TOPO_PREDICT_MPI_REPLAY_COST_H

#include "predict/mpi/replay.h"
#include "predict/mpi/replay_group.h"

/* One call as all members made it. */
struct replay_call {
    struct replay_group *group;
    const struct topo_trace_event *const *event; /* [count] the traced call of each member */
    const struct topo_trace_rank *const *trace;  /* [count] the traced rank of each member */
    int traced_count;                            /* members it had in the traced run */
    struct replay_factors factors;
};

struct replay_costs;

/* Free with replay_costs_free(), for which NULL is harmless. NULL: out of memory. */
struct replay_costs *replay_costs_new(const struct topo_replay_machine *machine);
void replay_costs_free(struct replay_costs *costs);

/* `all`: of the whole collective when all members enter at once; negative: out of memory. `last`: from the last
 * member's entry to the end when all that the others give was under way long before. */
struct replay_seconds {
    double all, last;
};
struct replay_seconds replay_cost(struct replay_costs *costs, const struct replay_call *call);

#endif
