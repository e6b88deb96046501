/* What the ranks of a communicator know of each other's counts in MPI_Alltoallv.
 *
 * Counts are known row by row only, and to agree on them in every call costs as
 * much as a short exchange. So nothing that has to be agreed on depends on the
 * counts of the call itself: what decides is the total of an earlier call, and the
 * bytes of a pair, which both its ends know. Node-aware messages carry the total
 * with them; other algorithms ask in some calls, ever more seldom (all ranks count
 * calls alike). An algorithm chosen by old figures is correct all the same. */
#ifndef TOPO_COLL_EXCHANGE_COUNT_ESTIMATE_H
#define TOPO_COLL_EXCHANGE_COUNT_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coll/call/recheck.h"
#include "comm/comm.h"

/* It was asked; `changed`, equal on all ranks: the answer is another one. At `most` so many calls go by. */
void topo_recheck_backoff_asked(struct topo_recheck_backoff *backoff, bool changed, unsigned most);

/* Equal on all ranks but for what is said to be a rank's own. */
struct topo_count_estimate {
    bool known;
    uint64_t total;                      /* bytes that all ranks sent together, in the call that was told of last */
    struct topo_recheck_backoff backoff; /* of asking for it */
    uint64_t asked_at, cost;             /* when this rank had the last answer and what it took, in ns; 0: unknown */
    const struct topo_algorithm
        *ran;         /* in the last call: another one than was asked for where its steps did not suit */
    const char *form; /* of what ran, where it has several (schedule/css.h); NULL: it has one */
    size_t most;      /* bytes of a block in an aggregate (alltoallv/alltoallv_node_aware.c), 0: not known yet */
    void *tables;     /* of the scheduled forms (alltoallv/step_table.c), and how they are freed */
    void (*free_tables)(void *tables);
};

/* The exchange of `state`, made at first use; NULL when memory is out. */
struct topo_count_estimate *topo_count_estimate_of(struct topo_comm *state);

/* NULL is harmless. */
void topo_count_estimate_free(struct topo_count_estimate *estimate);

/* Collective over the channel: this rank sends `own` bytes in this
 * call, what do all? Returns an MPI error code. */
int topo_count_estimate_ask(const struct topo_comm *state, uint64_t own);

/* All `ranks` were told of this call's total without asking. Where it is as before they ask no sooner again: they are
 * told in the guard's trials, too, between calls that ask. */
void topo_count_estimate_set_total(struct topo_count_estimate *estimate, int ranks, uint64_t total);

/* Mean bytes from a rank to another, as far as known, else 0: the call's size as
 * in select/select.h. */
size_t topo_count_estimate_mean(const struct topo_count_estimate *estimate, int ranks);

#endif
