/* Calls that were left to the native algorithm, remembered for the same call again. Some take no more than 0.1 us (a
 * broadcast of a number inside a node, which nobody waits for), so a few ns must do to find that out. */
#ifndef TOPO_COLL_CALL_NATIVE_CACHE_H
#define TOPO_COLL_CALL_NATIVE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "coll/call/call.h"
#include "coll/call/choose.h"
#include "coll/call/state.h"
#include "select/contest.h"

/* What decides of an argument of each kind (catalog/arguments.h), as a number: in calls whose numbers are equal the
 * native call has the same to report, or nothing (topo_<operation>_examine()), and the choice is the same. Of buffers
 * that is whether they are in place, at the bottom, or both one; of a root whether it exists and is this rank. The
 * first IN goes before the first OUT; uses two variables, const void *send and const struct topo_comm *state. */
#define TOPO_KEY_IN(a) (send = (a), (uintptr_t)((a) == MPI_IN_PLACE) + 2 * ((a) == MPI_BOTTOM))
#define TOPO_KEY_OUT(a) ((uintptr_t)((a) == MPI_IN_PLACE) + 2 * ((a) == send))
#define TOPO_KEY_INT(a) (uintptr_t)(a)
#define TOPO_KEY_ROOT(a) ((uintptr_t)((a) == state->rank) + 2 * ((a) >= 0 && (a) < state->ranks))
#define TOPO_KEY_INTS TOPO_KEY_INT
#define TOPO_KEY_TYPE TOPO_KEY_INT
#define TOPO_KEY_OP TOPO_KEY_INT
#define TOPO_KEY_COMM TOPO_KEY_INT

/* What calls are told apart by first. */
#define TOPO_PLACE_IN(a) 0
#define TOPO_PLACE_OUT(a) 0
#define TOPO_PLACE_INT(a) (unsigned)(a)
#define TOPO_PLACE_ROOT(a) 0
#define TOPO_PLACE_INTS(a) 0
#define TOPO_PLACE_TYPE(a) 0
#define TOPO_PLACE_OP(a) 0
#define TOPO_PLACE_COMM(a) 0

/* Where calls are remembered whose operation and TOPO_PLACE_* add up to that. */
static inline struct topo_native_cache_row *topo_native_cache_row(const struct topo_comm *state, unsigned place)
{
    return &topo_coll_of(state)->native_cache[place % TOPO_NATIVE_CACHE_ROWS];
}

/* What calls of an operation that waits for nobody go without until a call of another one makes it. */
static inline __attribute__((always_inline)) enum topo_awaited topo_awaited_by(enum topo_operation operation,
                                                                               const struct topo_comm *state)
{
    if (topo_operation_waits(operation) != TOPO_WAITS_SOME)
        return TOPO_AWAITS_NOTHING;
    return state->channel.comm == MPI_COMM_NULL && state->consent.wishes ? TOPO_AWAITS_CHANNEL : TOPO_AWAITS_NOTHING;
}

/* True while the row of a call of this operation is what would be found out again; counts the call then. False while
 * the ranks have something to agree on in such a call, in which none may be missing. */
static inline __attribute__((always_inline)) bool topo_native_cache_holds(const struct topo_native_cache_row *row,
                                                                          enum topo_operation operation,
                                                                          const struct topo_comm *state)
{
    return row->has_shm == state->layout.has_shm && row->awaits == topo_awaited_by(operation, state) &&
           (topo_operation_waits(operation) == TOPO_WAITS_SOME ||
            (!state->consent.wishes && !state->consent.undecided)) &&
           (!row->contest || topo_contest_is_first_untimed(row->contest));
}

/* Fills in the row but for its keys, and returns true, if the call is to run natively by the rules for its bytes, or by
 * what was measured. Nothing is kept for types and operations that are not MPI's own, whose handles may come to mean
 * others, nor while somebody hears of every call. Each rank remembers what its own arguments are; the choice is equal
 * on all of them with or without that. */
bool topo_native_cache_add(const struct topo_call *call, struct topo_native_cache_row *row);

#endif
