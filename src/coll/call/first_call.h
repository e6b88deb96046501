/* Calls that need no look at the communicator while it is in comm/early.h: whatever its ranks and nodes are, they are
 * native there, and count one. */
#ifndef TOPO_COLL_CALL_FIRST_CALL_H
#define TOPO_COLL_CALL_FIRST_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include <mpi.h>

#include "comm/comm.h"
#include "comm/early.h"
#include "observe/trace.h"

struct topo_first_call {
    MPI_Count count;
    MPI_Datatype type;
    MPI_Op op;
    bool has_type, has_op;
    bool varies; /* ranks have counts of their own */
    bool is_rooted, in_place; /* together: the count is none, as that of the root in place */
};

/* What decides of a call but for its count. */
struct topo_first_call_kind {
    MPI_Op op; /* 0: it has none */
    MPI_Datatype type;
    size_t bytes; /* of an element */
    bool pair;    /* one result where there are two ranks alone */
};

/* Of this thread's latest call with a type of MPI's own, whose handles never come to mean others. */
extern _Thread_local struct topo_first_call_kind topo_first_call_last __attribute__((tls_model("initial-exec")));

static inline bool topo_first_call_fits(const struct topo_first_call_kind *kind, MPI_Count count, int ranks)
{
    return count >= 0 && count < TOPO_EARLY_BYTES && (size_t)count * kind->bytes * (size_t)ranks < TOPO_EARLY_BYTES &&
           (!kind->pair || ranks == 2);
}

/* Operations, a bit each, of which the user says what runs: none of their calls is counted there. */
extern uint32_t topo_first_call_told;

/* False: topo_call_begin() and what follows it find out. */
static inline bool topo_first_call_may_be_native(const struct topo_first_call *call)
{
    return !call->varies && !(call->is_rooted && call->in_place) && !topo_trace_on;
}

static inline bool topo_first_call_is_like_last(const struct topo_first_call *call)
{
    return !call->has_type || (call->type == topo_first_call_last.type && call->op == topo_first_call_last.op);
}

/* True for one of few bytes whose result has the same bits in every form, in a communicator of `ranks` ranks, of one
 * that may be native and is like the last; of one that is not. */
static inline bool topo_first_call_is_native(const struct topo_first_call *call, int ranks)
{
    return !call->has_type || topo_first_call_fits(&topo_first_call_last, call->count, ranks);
}
bool topo_first_call_look(const struct topo_first_call *call, int ranks);

/* Whether and how long communicators are counted there, once the job's state is made: where they would be native, too,
 * and nobody hears of the calls. */
void topo_first_calls_start(const struct topo_comm *world);

#endif
