/* What communicators found out, for those that come after them.
 *
 * A process keeps what communicators of the same ranks in the same order measured (coll/call/kinds.h), lived and cost,
 * for the latest of these; those of other ranks begin by the latest of their layout (select/select.h). That is its own:
 * other ranks of a communicator may have been elsewhere meanwhile, in threads that came in another order, or have
 * dropped it. So nothing of it counts before the ranks have agreed, and they agree as they open the channel
 * (job/channel.h), in the one all-reduce that this takes, to which each rank brings
 *
 *   - whether it objects, as by what it knows the call that asks would not pay for the opening. One objection is
 *     enough: nobody uses the channel, and the communicator stays native for eight times as many calls
 *     (topo_comm_calls_to_pay()), which all ranks count alike, and asks again, on the channel. From the fourth time on
 *     nobody objects. Later communicators of these ranks begin with as many refusals (comm/refusals.h).
 *   - a number that stands for all that was measured: for each kind of call, the epoch of its contest. Where the least
 *     and the most of all ranks are the same all have the same, and go on from there, in the middle of a round, too.
 *   - else numbers for the forms that were found to be the fastest, each in a place that the kind of call says. Where
 *     the least and the most of all ranks say alike, these begin here, and are looked at after a while; the rest begins
 *     anew.
 *
 * What is found is kept for later jobs, too, as verdicts: rank 0 writes them as the job ends and reads them as the next
 * one begins, in which all ranks have the same. A verdict is looked at in the first calls.
 *
 * Before that a communicator is native, whatever was found: to ask takes a message, too, so one that ends before it
 * asks costs nothing, and when it asks follows from the number of its calls alone. Forms only ever run where the guard
 * might have chosen them, so calls whose bits depend on the form keep theirs (docs/SEMANTICS.md). */
#ifndef TOPO_COLL_CALL_HISTORY_H
#define TOPO_COLL_CALL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalog/algorithm.h"
#include "comm/comm.h"

/* Places for what was found, and numbers that a rank brings: of each the least of all ranks' comes back. */
enum { TOPO_VERDICTS = 8, TOPO_HISTORY_NUMBERS = 2 + 2 * TOPO_VERDICTS };

struct topo_guards;
struct topo_kind;

/* Whether this rank objects to an opening. */
bool topo_history_objects(const struct topo_comm *state);

/* Fills the past of *guards, all zero, and numbers[] with what this rank brings to one; without memory for the former,
 * NULL. */
void topo_history_bring(const struct topo_comm *state, struct topo_guards *guards, uint64_t *numbers);

/* What all ranks know of it is left in that past, by the least of what they brought. */
void topo_history_agreed(struct topo_guards *guards, const uint64_t *least);

/* After a decision of that kind. */
void topo_history_note(const struct topo_comm *state, const struct topo_kind *kind);

/* The opening, the first call of ours included, took so many ns on this rank. */
void topo_history_opened(const struct topo_comm *state, uint64_t took);

/* Rank 0 of the job: adds what its communicators found to the file of verdicts (job/verdicts.h). */
void topo_history_keep(void);

/* The communicator goes. */
void topo_history_end(const struct topo_comm *state);

/* Nothing is kept any more until topo_history_start(); neither while other threads make calls. */
void topo_history_start(void);
void topo_history_stop(void);

#endif
