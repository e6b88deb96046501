/* TOPOMPI_GUARD: in the program's own calls the native algorithm and up to three of ours (select/candidates.h) run in
 * turn, two of them at a time, until it is certain which is the fastest (select/contest.h); also where auto names the
 * native one, not where the user named one. Where the bits of the result depend on the algorithm, forms of ours that
 * give the same bits take turns, and the native one has none.
 *
 * Ranks never disagree: turns are counted by the calls of a communicator, which all its ranks make in one order, and
 * what was measured is added up over the ranks, in whole ns, in the next call in which all of them wait for each other
 * anyway. A call is counted before it runs, so an error handler that leaves it changes nothing. */
#ifndef TOPO_COLL_CALL_GUARD_H
#define TOPO_COLL_CALL_GUARD_H

#include "coll/call/call.h"

struct topo_guards;

/* What a call takes is what the program feels: of ours it counts from where the call was told from others on, of the
 * native one alone, as a native call reaches that at once when it is settled. True while calls on this communicator are
 * likely to be timed. */
bool topo_guard_is_timing(const struct topo_comm *state);

/* What runs in this call instead of `algorithm`, which auto names for a call of call->bytes: itself, the native one or
 * another one that is tried.
 * Sets call->guard where the call is one of those that are compared. *code is MPI_SUCCESS or an error, topo_choose()'s.
 */
const struct topo_algorithm *topo_guard_pick(struct topo_call *call, const struct topo_algorithm *algorithm, int *code);

/* The same for a call that is like an earlier one of call->guard.kind and ->counted, which topo_guard_pick() found. */
const struct topo_algorithm *topo_guard_next(struct topo_call *call);

/* The algorithm that topo_guard_pick() named could not run, on all ranks alike: the turns begin anew. */
void topo_guard_missed(struct topo_call *call);

/* The call is through. */
void topo_guard_end(const struct topo_call *call);

/* Seconds that a native call like this one takes, as measured, and this call beside it; both below 0: not known. */
struct topo_guard_measured {
    double native, ours;
};

/* Of a call that took `seconds` on this rank. Where ranks do not wait for each other (select/contest.h) that says
 * nothing of the call, so `ours` is what was measured as the native one's time was. */
struct topo_guard_measured topo_guard_measured(const struct topo_call *call, double seconds);

/* Before a channel is opened: memory for what is measured, and what this rank knows from before. False: it objects
 * (coll/call/history.h). */
bool topo_guard_bring(struct topo_comm *state, uint64_t *numbers);

/* After it, with the least of what the ranks brought; NULL: nobody opened it. */
void topo_guard_opened(struct topo_comm *state, const uint64_t *least);

/* A call ran ours, which may have made memory: that is what an opening takes. */
void topo_guard_is_open(struct topo_comm *state);

/* Collective over the communicator, in a call that may wait, where state->consent.undecided: what was measured is
 * agreed on. */
void topo_guard_agree(struct topo_comm *state);

/* What calls of `bytes` run where auto names `algorithm`, as things are; *settled when that was found out by turns. */
const struct topo_algorithm *topo_guard_verdict(const struct topo_comm *state, const struct topo_algorithm *algorithm,
                                                size_t bytes, bool *settled);

/* NULL is harmless. */
void topo_guards_free(struct topo_guards *guards);

#endif
