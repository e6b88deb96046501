/* What every operation does around one call: whether the library takes it, how long it
 * took, where an error is raised. */
#ifndef TOPO_COLL_CALL_CALL_H
#define TOPO_COLL_CALL_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "base/counts.h"
#include "catalog/algorithm.h"
#include "coll/call/choose.h"
#include "comm/comm.h"

/* Handles in a call, which may come to mean others if they are not MPI's own. A type of 0: none that count. */
struct topo_call_handles {
    MPI_Datatype type;
    MPI_Op op; /* MPI_OP_NULL: it has none */
};

struct topo_contest;
struct topo_remembered;
struct topo_recheck_backoff;

struct topo_call {
    MPI_Comm comm;
    const struct topo_algorithm *forced; /* what the caller wants to run; NULL: what the options or the selector say */
    struct topo_call_handles handles;    /* set by the operation */
    int root;                            /* the same; 0 where it has none */
    bool is_roots;                       /* the same: an argument is one that only the root may have */
    struct topo_counts counts;           /* the same: one of each rank, or none that must be looked at */
    struct topo_comm *state;             /* NULL: pass through */
    const struct topo_algorithm *ran;    /* set by the operation; starts as native */
    size_t bytes;                        /* set by the operation: its message size as in select/select.h */
    /* The same, where its size is none of this call's: what all calls count towards asking for it, what was found, and
     * what that was when the call was chosen by it: the call itself may find another. */
    struct topo_recheck_backoff *recheck;
    const uint64_t *estimated;
    uint64_t estimate;
    bool has_shm;     /* state->layout.has_shm when it was chosen, which the call may change as well */
    double start;     /* below 0: nobody wants to know */
    unsigned refused; /* by place among the operation's rows: topo_call_next() tried them */
    bool for_now;     /* native, as what ours or the guard needs cannot be made in such a call */
    struct {
        void *kind;                   /* coll/call/guard.c; NULL: not compared */
        struct topo_contest *contest; /* of that kind, where its first arm is the native one; else NULL */
        bool counted;                 /* by the contest; false: the call is like those that are */
        int arm;                      /* of them; what runs */
        int place;                    /* of its time; -1: not timed */
        uint64_t start;               /* 0: not yet */
    } guard;
    /* The remembered call that this one is like, and what runs in it (topo_call_again()); NULL: it is chosen. */
    const struct topo_remembered *known;
    const struct topo_algorithm *runs;
};

/* Before anything is known of it. */
static inline struct topo_call topo_call_of(enum topo_operation operation, const struct topo_algorithm *forced,
                                            MPI_Comm comm)
{
    return (struct topo_call){.comm = comm, .forced = forced, .ran = topo_algorithm_native(operation), .start = -1};
}

/* False where the root does not exist, or this rank is not the root and calls as only the root may. */
static inline bool topo_call_has_root(const struct topo_call *call, const struct topo_comm *state)
{
    return call->root >= 0 && call->root < state->ranks && (!call->is_roots || call->root == state->rank);
}

/* Begins a call. `valid` is false when the arguments are wrong, which is the native call's to report: it comes back
 * before it waits for anybody, so the others, if they make this call at all, make it with this rank's next one, and
 * nothing here counts it. So too where the communicator says that the root or a count is wrong. False with MPI_SUCCESS
 * in *code when the native algorithm is to run; with an error code it was raised already. In an operation whose ranks
 * all wait for each other it first grants what earlier calls had to go without. */
bool topo_call_begin(struct topo_call *call, bool valid, int *code);

/* In place of topo_call_begin() and of most of what the operation's run does before topo_call_choose(): the call is
 * like one that is remembered (coll/call/remembered.h), which the communicator that this thread asked for last points
 * to. True when call->runs is ours. */
bool topo_call_again(struct topo_call *call);

/* Barrier before a refusal is raised as an error: rank 0's line that explains it is out before any rank ends the job.
 * All ranks come, as refusals follow from facts that are equal on all of them; a rank with wrong arguments keeps the
 * others waiting natively, too. Does nothing for operations in which ranks do not wait for each other in every call. */
void topo_call_await_reason(enum topo_operation operation, struct topo_comm *state);

/* The algorithm of ours that runs a call of these facts, its renumbering there; NULL: the native one, or *code is an
 * error. */
const struct topo_algorithm *topo_call_choose(struct topo_call *call, const struct topo_facts *facts, int *code);

/* The same for a sum of `count` elements that is dealt out in so many parts, one of them on average being the call's
 * bytes. Fills *facts, unless the call is known. NULL too where there are no bytes. */
const struct topo_algorithm *topo_call_choose_sum(struct topo_call *call, int parts, size_t count, MPI_Datatype type,
                                                  MPI_Op op, struct topo_facts *facts, int *code);

/* After an operation's run by `algorithm` returned TOPO_NOT_NOW: the next form of ours that gives the same bits, or
 * NULL. So such a call is native where none of them can be had, now and later, and never else, whichever came first. */
const struct topo_algorithm *topo_call_next(struct topo_call *call, const struct topo_algorithm *algorithm);

/* What an operation's run returned: TOPO_NOT_NOW makes it a native call; an error is raised on the application's
 * communicator. Returns an MPI error code. */
int topo_call_ran(struct topo_call *call, int code);

/* Where ranks may be lost: the call was left as one is, or not begun. It becomes a native one, of which nothing is
 * counted. Returns `code`, an error that was raised already; MPI_SUCCESS: the native call is to say so. */
int topo_call_left(struct topo_call *call, int code);

static inline bool topo_call_is_native(const struct topo_call *call)
{
    return call->ran == topo_algorithm_native(call->ran->operation);
}

/* Ends it, the native call included: counts it. */
void topo_call_end(const struct topo_call *call);

#endif
