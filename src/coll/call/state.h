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
#include "comm/comm.h"

struct topo_contest;
struct topo_guards;
struct topo_trials;
struct topo_count_estimate;

/* What a call goes without for now. */
enum topo_awaited { TOPO_AWAITS_NOTHING, TOPO_AWAITS_CHANNEL };

/* A call that the native algorithm takes (coll/call/native_cache.h). */
enum { TOPO_NATIVE_CACHE_ROWS = 16, TOPO_NATIVE_CACHE_KEYS = 9 };
struct topo_native_cache_row {
    uintptr_t key[TOPO_NATIVE_CACHE_KEYS]; /* of each argument, that of the communicator not 0; 0: no row */
    enum topo_operation operation;
    bool has_shm;                 /* layout.has_shm then */
    enum topo_awaited awaits;     /* topo_awaited_by() then */
    struct topo_contest *contest; /* native while this says so, which counts each call; NULL: by the rules */
};

/* What the rules and the model chose for such a call (coll/call/choose.c): to look through the rules again takes as
 * long as a short call inside a node. */
enum { TOPO_CHOSEN_ROWS = 8 };
struct topo_chosen_row {
    const struct topo_algorithm *algorithm; /* NULL: no row */
    size_t bytes;
    bool one_form, has_shm; /* of the layout that was looked at */
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
    struct topo_native_cache_row native_cache[TOPO_NATIVE_CACHE_ROWS];
    struct topo_chosen_row chosen[TOPO_CHOSEN_ROWS];
    size_t spared; /* weight of the calls that stayed native before ours was worth preparing */
    uint64_t announced[TOPO_OPERATION_COUNT];            /* TOPOMPI_VERBOSE: size classes spoken of */
    struct topo_modelled modelled[TOPO_OPERATION_COUNT]; /* TOPOMPI_STATS, rank 0 of the job */
    struct topo_guards *guards;                          /* coll/call/guard.h; NULL until first needed */
    struct topo_waiting waiting[TOPO_WAITING];           /* of the calls that `spared` counts */
    bool may_object;                      /* what asks for the channel was auto's choice among several forms */
    uint64_t opening;                     /* when it was opened, in ns, until ours ran; 0: it was not, or did */
    struct topo_trials *trials;           /* coll/call/learn.h */
    struct topo_count_estimate *estimate; /* of MPI_Alltoallv (exchange/count_estimate.h); NULL until first needed */
};

/* What the operations keep of this communicator: all zero when its state is made (topo_comm_start()). */
static inline struct topo_coll_state *topo_coll_of(const struct topo_comm *state)
{
    return state->own;
}

#endif
