/* Calls of which it is known what runs, remembered for the same call again: native, one of ours, or forms that take
 * turns. Some take no more than 0.1 us (a broadcast of a number inside a node, which nobody waits for), so a few ns
 * must do to find that out. */
#ifndef TOPO_COLL_CALL_REMEMBERED_H
#define TOPO_COLL_CALL_REMEMBERED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/counts.h"
#include "coll/call/call.h"
#include "coll/call/choose.h"
#include "coll/call/state.h"
#include "select/contest.h"

/* What decides of an argument of each kind (catalog/arguments.h), as a number: in calls whose numbers are equal the
 * native call has the same to report, or nothing (topo_<operation>_examine()), and the choice is the same. Of buffers
 * that is whether they are in place, or both one; of a root whether it exists and is this rank. The first IN goes
 * before the first OUT; uses const void *send, uint64_t total and const struct topo_comm *state. */
#define TOPO_KEY_IN(a) (send = (a), (uintptr_t)((a) == MPI_IN_PLACE))
#define TOPO_KEY_OUT(a) ((uintptr_t)((a) == MPI_IN_PLACE) + 2 * ((a) == send))
#define TOPO_KEY_INT(a) (uintptr_t)(a)
#define TOPO_KEY_ROOT(a) ((uintptr_t)((a) == state->rank) + 2 * ((a) >= 0 && (a) < state->ranks))
#define TOPO_KEY_ROOTS_INT TOPO_KEY_INT
#define TOPO_KEY_ROOTS_TYPE TOPO_KEY_INT
#define TOPO_KEY_ROOTS_COUNTS(a) (uintptr_t)((a) != NULL) /* they may be looked at on the root alone */
#define TOPO_KEY_INTS(a) (uintptr_t)((a) != NULL)
#define TOPO_KEY_COUNTS(a) (uintptr_t)(total)
#define TOPO_KEY_OWN_COUNTS(a) (uintptr_t) topo_counts_are_valid(TOPO_COUNTS(a), state->ranks)
#define TOPO_KEY_TYPE TOPO_KEY_INT
#define TOPO_KEY_OP TOPO_KEY_INT
#define TOPO_KEY_COMM TOPO_KEY_INT

/* What calls are told apart by first. Of counts the sum decides, as the bytes of all ranks do; roots often go round. */
#define TOPO_PLACE_IN(a) 0
#define TOPO_PLACE_OUT(a) 0
#define TOPO_PLACE_INT(a) (unsigned)(a)
#define TOPO_PLACE_ROOT(a) (unsigned)((a) == state->rank)
#define TOPO_PLACE_ROOTS_INT(a) 0
#define TOPO_PLACE_ROOTS_TYPE(a) 0
#define TOPO_PLACE_ROOTS_COUNTS(a) 0
#define TOPO_PLACE_INTS(a) 0
#define TOPO_PLACE_COUNTS(a) (total = topo_counts_total(TOPO_COUNTS(a), state->ranks), (unsigned)total)
#define TOPO_PLACE_OWN_COUNTS(a) 0
#define TOPO_PLACE_TYPE(a) 0
#define TOPO_PLACE_OP(a) 0
#define TOPO_PLACE_COMM(a) 0

/* Where calls are remembered whose operation and TOPO_PLACE_* add up to that. */
static inline struct topo_remembered *topo_remembered_of(const struct topo_comm *state, unsigned place)
{
    _Static_assert(TOPO_REMEMBERED_ROWS == 16, "four bits");
    return &topo_coll_of(state)->remembered[place * 0x9E3779B1U >> 28]; /* sizes are often multiples of 16 */
}

/* What calls of an operation that waits for nobody go without until a call of another one makes it. */
static inline __attribute__((always_inline)) enum topo_awaited topo_awaited_by(enum topo_operation operation,
                                                                               const struct topo_comm *state)
{
    if (topo_operation_waits(operation) != TOPO_WAITS_SOME)
        return TOPO_AWAITS_NOTHING;
    return !state->ready && state->consent.wishes ? TOPO_AWAITS_CHANNEL : TOPO_AWAITS_NOTHING;
}

/* True while it is too early to open a channel; counts the call then, as coll/call/choose.c does. */
static inline bool topo_remembered_waits(const struct topo_remembered *row, const struct topo_comm *state)
{
    struct topo_coll_state *own = topo_coll_of(state);
    if (state->ready || row->refusals != state->refusals || state->calls + own->spared + row->call.waits > row->until)
        return false;
    own->spared += row->call.waits - 1;
    row->waiting->waited++;
    return true;
}

/* True while the row of a call of this operation is what would be found out again. False while the ranks have something
 * to agree on in such a call, in which none may be missing. Counts the call where its size is an estimate. */
static inline __attribute__((always_inline)) bool
topo_remembered_holds(const struct topo_remembered *row, enum topo_operation operation, const struct topo_comm *state)
{
    return row->has_shm == state->layout.has_shm && row->awaits == topo_awaited_by(operation, state) &&
           (topo_operation_waits(operation) == TOPO_WAITS_SOME ||
            (!state->consent.wishes && !state->consent.undecided)) &&
           (!row->waiting || topo_remembered_waits(row, state)) &&
           (!row->recheck || (*row->estimated == row->estimate && topo_recheck_backoff_passes(row->recheck)));
}

/* True when the row, which holds, says that the call is native and nobody measures it; counts it then. */
static inline __attribute__((always_inline)) bool topo_remembered_is_native(const struct topo_remembered *row)
{
    if (!row->contest)
        return !row->kind && !row->algorithm;
    return row->counted ? topo_contest_is_first_untimed(row->contest) : row->contest->champion == 0;
}

/* True while somebody hears of every call: nothing is remembered then. */
bool topo_calls_are_heard(void);

/* Fills in the row but for its keys, and returns true, if it is known what runs in calls like this one, which was
 * chosen: by the rules for its bytes, or by what was measured, or those that take turns. `total`: of its counts, where
 * it has such. Nothing is kept for types and operations that are not MPI's own, whose handles may come to mean others,
 * nor while somebody hears of every call, nor of a call that changed what it was chosen by. Each rank remembers what
 * its own arguments are; the choice is equal on all of them with or without that. */
bool topo_remembered_add(const struct topo_call *call, uint64_t total, struct topo_remembered *row);

#endif
