/* Calls that the rules left to the native algorithm, remembered for calls alike. Some take no more than 0.1 us (a
 * broadcast of a number inside a node, which nobody waits for); to find that out again would cost half of that. */
#ifndef TOPO_COLL_CALL_NATIVE_CACHE_H
#define TOPO_COLL_CALL_NATIVE_CACHE_H

#include <stdbool.h>

#include "coll/call/call.h"
#include "coll/call/state.h"
#include "select/contest.h"

/* Where calls like this one are remembered. */
static inline struct topo_native_cache_row *topo_native_cache_place(const struct topo_call *call,
                                                                    struct topo_comm *state)
{
    unsigned number = (unsigned)call->alike.count * 2 + (unsigned)call->ran->operation;
    return &topo_coll_of(state)->native_cache[number % TOPO_NATIVE_CACHE_ROWS];
}

/* What calls of an operation that waits for nobody go without until a call of another one makes it. */
static inline enum topo_awaited topo_awaited_by(enum topo_operation operation, const struct topo_comm *state)
{
    if (topo_operation_waits(operation) != TOPO_WAITS_SOME)
        return TOPO_AWAITS_NOTHING;
    if (state->channel.comm == MPI_COMM_NULL)
        return state->consent.wishes ? TOPO_AWAITS_CHANNEL : TOPO_AWAITS_NOTHING;
    return topo_coll_of(state)->guards || !(state->consent.undecided & TOPO_UNDECIDED_GUARD) ? TOPO_AWAITS_NOTHING
                                                                                             : TOPO_AWAITS_GUARD;
}

/* True when a call like this one, of which no more than topo_call_of() and what the operation sets beside it is known,
 * was remembered; its arguments are valid (topo_call_begin()), as it is counted. False while the ranks have something
 * to agree on in such a call, in which none may be missing. */
static inline bool topo_native_cache_has(const struct topo_call *call)
{
    struct topo_comm *state;
    if (!call->alike.type || call->forced || call->comm == MPI_COMM_NULL ||
        topo_comm_of(call->comm, &state) != MPI_SUCCESS || !state || state->native || !topo_call_has_root(call, state))
        return false;
    const struct topo_native_cache_row *known = topo_native_cache_place(call, state);
    if (known->alike.type == call->alike.type && known->alike.count == call->alike.count &&
        known->alike.op == call->alike.op && known->operation == call->ran->operation &&
        known->has_shm == state->layout.has_shm && known->found == state->found &&
        known->awaits == topo_awaited_by(known->operation, state) &&
        (topo_operation_waits(known->operation) == TOPO_WAITS_SOME ||
         (!state->consent.wishes && !topo_is_undecided(known->operation, state))))
        return !known->contest || topo_contest_is_first_untimed(known->contest);
    return false;
}

/* Remembers a call that is to run natively, if that is by the rules for its bytes, or by what was measured. Nothing is
 * kept for types and operations that are not MPI's own, whose handles may come to mean others, nor while somebody hears
 * of every call. Each rank remembers what its own arguments are; the choice is equal on all of them with or without
 * that. */
void topo_native_cache_add(const struct topo_call *call);

#endif
