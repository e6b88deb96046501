/* What the operations keep with each communicator's state (struct topo_comm_user). */
#ifndef TOPO_COLL_CALL_STATE_H
#define TOPO_COLL_CALL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "catalog/algorithm.h"
#include "coll/call/call.h"
#include "coll/call/history.h"
#include "coll/call/recheck.h"
#include "comm/comm.h"
#include "observe/stats.h"

struct topo_contest;
struct topo_guards;
struct topo_count_estimate;

/* What a call goes without for now. */
enum topo_awaited { TOPO_AWAITS_NOTHING, TOPO_AWAITS_CHANNEL };

/* A call that is remembered (coll/call/remembered.h). */
enum { TOPO_REMEMBERED_ROWS = 16, TOPO_REMEMBERED_KEYS = 9 };
struct topo_remembered {
    uintptr_t key[TOPO_REMEMBERED_KEYS]; /* of each argument, that of the communicator not 0; 0: no row */
    enum topo_operation operation;
    bool has_shm;                           /* layout.has_shm then */
    bool may_wait;                          /* consent.may_wait then */
    enum topo_awaited awaits;               /* topo_awaited_by() then */
    const struct topo_algorithm *algorithm; /* that runs; NULL: the native one, or by turns */
    void *kind;                             /* of the guard: forms that take turns; NULL: none do */
    struct topo_contest *contest;           /* of these, where the first is the native one */
    bool counted;                           /* by the contest */
    struct topo_comm_call call;             /* that of the state then */
    struct topo_size *waiting;              /* what it counts with; NULL: it waits for no channel */
    size_t until;                           /* so many count before the ranks ask for it, after so many refusals: */
    unsigned char refusals;
    /* Where the size is an estimate: it holds until another is due, or found. */
    struct topo_recheck_backoff *recheck;
    const uint64_t *estimated;
    uint64_t estimate;
};

/* What is known of calls of one size: to look through the rules again takes as long as a short call inside a node. */
enum { TOPO_SIZES = 8 };
struct topo_size {
    const struct topo_algorithm *named; /* by the rules and the model (coll/call/choose.c); NULL: no row */
    size_t bytes;
    bool one_form, has_shm; /* of the layout that was looked at */
    bool nothing;           /* is there to try beside it (coll/call/guard.c) */
    size_t waited;          /* calls made natively until ours was worth preparing; each rank counts its own */
};

/* TOPOMPI_STATS: what the model gave the native algorithm for calls of an operation, of the latest sizes. */
enum { TOPO_MODELLED_ROWS = 8 };
struct topo_modelled {
    int asked; /* times that the model was asked */
    struct {
        bool known;
        size_t bytes;
        double seconds;
    } row[TOPO_MODELLED_ROWS]; /* by size class */
};

struct topo_coll_state {
    struct topo_remembered remembered[TOPO_REMEMBERED_ROWS];
    const struct topo_remembered *again; /* the one that the call under way is like */
    struct topo_size size[TOPO_SIZES];
    size_t spared; /* weight of the calls that stayed native before ours was worth preparing */
    uint64_t announced[TOPO_OPERATION_COUNT]; /* TOPOMPI_VERBOSE: size classes spoken of */
    struct topo_modelled *modelled;           /* [TOPO_OPERATION_COUNT] TOPOMPI_STATS, rank 0 of the job; or NULL */
    struct topo_guards *guards;               /* coll/call/guard.h; NULL until first needed */
    struct topo_size *waits;                  /* that of the call under way, while state->call.waits */
    bool timing;                              /* a round is under way of the kind of call that was made last */
    bool may_object;                          /* what asks for the channel was auto's choice among several forms */
    uint64_t opening;                         /* when it was opened, in ns, until ours ran; 0: it was not, or did */
    struct topo_stats_comm reported;          /* TOPOMPI_STATS */
    struct topo_count_estimate *estimate; /* of MPI_Alltoallv (exchange/count_estimate.h); NULL until first needed */
};

/* What the operations keep of this communicator: all zero when its state is made (topo_comm_start()). */
static inline struct topo_coll_state *topo_coll_of(const struct topo_comm *state)
{
    return state->own;
}

#endif
