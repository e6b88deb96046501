/* What is known of one communicator; kept in an attribute of it, made at first use. */
#ifndef TOPO_COMM_COMM_H
#define TOPO_COMM_COMM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "job/channel.h"
#include "comm/comm_group.h"
#include "comm/renumbering.h"
#include "comm/allreduce_shapes.h"
#include "comm/plans.h"
#include "node/idle.h"
#include "node/node.h"
#include "machine/tree.h"
#include "renumber/graph.h"
#include "catalog/algorithm.h"
#include "select/select.h"

/* The call under way, as coll/call/choose.c decided on; equal on all ranks. */
struct topo_comm_call {
    enum topo_algorithm_id id;
    struct topo_parameters parameters; /* of what runs, set when that is known; 0: the algorithm's own */
    size_t bytes;
    bool any_form;    /* auto chose, and any other form of it gives the same bits */
    bool bits_depend; /* those of its result, on the form */
    bool one_form;    /* and auto chose it, so it takes the same in every such call */
    bool ordered;  /* one_form, but auto chose a form with the trait ORDERED, between nodes: any other such form will do
                    */
    size_t waits;  /* what it counts towards opening the channel, 1 and for its bytes, as it is too early; 0: nothing */
    bool is_tried; /* the guard tries a form that auto would not take (coll/call/guard.h), or may try one */
};

/* What an algorithm returns that cannot run now: nothing has been done, on all ranks alike, and the native one is to
 * run. */
enum { TOPO_NOT_NOW = -1 };

struct topo_comm {
    bool native; /* nothing to gain or not possible: every call passes through */
    bool ready;  /* the channel is open, and no rank objected to use it; agreed on */
    bool lost;   /* native, as a call was left in the middle (job/recovery.h) */
    bool unable; /* there is no channel for it, so its calls are native; all the same they are counted */
    MPI_Comm comm;
    int rank, ranks;
    struct topo_comm_group *comm_group; /* NULL when native; it owns the tree */
    const struct topo_tree *tree;       /* ranks of this communicator */
    struct topo_layout layout;
    int position;                /* of this rank in tree order */
    struct topo_channel channel; /* not opened until first needed */
    struct topo_comm_call call;
    struct topo_consent consent; /* of that call */
    unsigned calls, early;       /* made, all of them, until ours may run; of these before there was a state */
    size_t uses;                 /* calls that ran ours */
    unsigned char refusals;      /* a rank objected to using the channel; agreed on */
    /* By algorithm: from so many bytes on, calls that have to take one form always take the native one, as the channel
     * was not wanted then; 0: none yet. */
    size_t withheld[TOPO_ALGORITHM_COUNT];
    struct topo_renumbering *renumbering[TOPO_GRAPHS][TOPO_RENUMBERING_EXTENTS]; /* NULL until first needed */
    struct topo_allreduce_shapes *shapes; /* of the all-reduces; NULL until first needed */
    struct topo_plans plans;              /* of its last calls */
    struct topo_node *node;               /* nodes and their shared memory; NULL until first needed */
    void *own;                            /* of the user of this folder (struct topo_comm_user) */
};

/* Numbers that the user of this folder brings to the opening of a channel. */
enum { TOPO_COMM_BROUGHT = TOPO_CHANNEL_LEASTS - 3 };

/* What the user of this folder keeps with every communicator's state. */
struct topo_comm_user {
    size_t bytes;                             /* of its own part, all zero at first */
    void (*release)(struct topo_comm *state); /* the state goes */
    void (*at_finalize)(void); /* collective over MPI_COMM_WORLD, when topo_comm_start()'s attribute is deleted */
    /* Before the ranks agree to use a channel: what this rank brings, whose least of all ranks comes back. False: it
     * objects, so that nobody uses it now. */
    bool (*bring)(struct topo_comm *state, uint64_t numbers[TOPO_COMM_BROUGHT]);
    void (*opened)(struct topo_comm *state, const uint64_t least[TOPO_COMM_BROUGHT]); /* NULL: nobody did */
};

/* The communicator that a thread asked for last, since calls on one follow each other and an attribute takes long to
 * look up. Valid until any communicator that has a state is freed, as another may get its handle. */
struct topo_comm_last {
    MPI_Comm comm;
    struct topo_comm *state;
    unsigned long freed;
};
extern _Thread_local struct topo_comm_last topo_comm_last __attribute__((tls_model("initial-exec")));
extern _Atomic unsigned long topo_comm_freed; /* counts from 1 on; 0 marks an answer that was never given */

/* What topo_comm_of() does when another communicator was asked for last. */
int topo_comm_look_up(MPI_Comm comm, struct topo_comm **state);

/* The state of `comm`, made on first use without any message; *state is NULL in a
 * passive job. An MPI error code when memory is out: the caller must raise it,
 * since one rank that went native alone would leave the others waiting. */
static inline int topo_comm_of(MPI_Comm comm, struct topo_comm **state)
{
    if (topo_comm_last.comm != comm ||
        topo_comm_last.freed != atomic_load_explicit(&topo_comm_freed, memory_order_acquire))
        return topo_comm_look_up(comm, state);
    *state = topo_comm_last.state;
    return MPI_SUCCESS;
}

/* The same when it is the one that this thread asked for last; else NULL. */
static inline struct topo_comm *topo_comm_of_last(MPI_Comm comm)
{
    return topo_comm_last.comm == comm &&
                   topo_comm_last.freed == atomic_load_explicit(&topo_comm_freed, memory_order_acquire)
               ? topo_comm_last.state
               : NULL;
}

/* A call of the communicator, native or not; one that ours ran. */
static inline void topo_comm_called(struct topo_comm *state)
{
    state->calls++;
    topo_idle_calls++;
}

static inline void topo_comm_used(struct topo_comm *state)
{
    state->uses++;
    if (state->node)
        topo_idle_used(state->node, state->uses);
}

/* Around the MPI call by which the application frees `comm`, or tries to: until its end the state stays, whatever the
 * order in which MPI deletes attributes, so that collectives in delete callbacks of the application run as before, on
 * all ranks alike. Without these two (the call was not seen, or MPICH frees when the last operation on `comm` is
 * complete) the state ends as the attribute does. topo_comm_free_begin() gives MPI_SUCCESS, or MPI_ERR_NO_MEM, as
 * topo_comm_of(); the application may leave without topo_comm_free_end(). */
int topo_comm_free_begin(MPI_Comm comm);
void topo_comm_free_end(MPI_Comm comm, bool freed);

/* A communicator's first use of ours agrees on tags and makes memory that the node shares: on an emulated cluster of
 * 4x4 ranks as long as some ten short calls or three of 4 KiB, on one node, where calls are short, up to a hundred. So
 * many short calls are likely to pay for it. */
size_t topo_comm_calls_to_pay(const struct topo_comm *state);

/* The same after ranks objected: eight times as many each time. */
size_t topo_comm_calls_to_ask(const struct topo_comm *state);

/* A constructor made it; all its ranks waited for each other there. */
void topo_comm_made(MPI_Comm comm);

/* Collective: opens the channel, by one all-reduce on the communicator; where ranks objected they ask again on the
 * channel. All ranks get the same answer: false means that this call is native: postponed, or for
 * good. Cheap when it is open. */
bool topo_comm_prepare(struct topo_comm *state);

/* Takes part, in place of the first topo_comm_prepare() or topo_comm_grant(), for a rank whose memory is out for what
 * these need: nobody opens the channel. */
void topo_comm_withhold(MPI_Comm comm);

/* The same as topo_comm_prepare(), and makes the renumbering that the algorithm needs. */
bool topo_comm_prepare_for(struct topo_comm *state, const struct topo_algorithm *algorithm);

/* What this rank knows of the communicator's nodes, made at first need without any message; NULL when memory is out,
 * which the caller must raise. */
struct topo_node *topo_comm_node(struct topo_comm *state);

/* Collective, in a call that may wait, where state->consent.wishes: makes what postponed calls need. */
void topo_comm_grant(struct topo_comm *state);

/* What the guard tries and cannot have says nothing of the forms that `auto` takes. */
static inline void topo_comm_lacks_shm(struct topo_comm *state)
{
    state->layout.has_shm = state->layout.has_shm && state->call.is_tried;
}

/* An algorithm found, on all ranks alike and before it did anything, that shared memory cannot be had, or not now.
 * True: it returns TOPO_NOT_NOW. False: it takes its form by messages, and `auto` other algorithms from now on. */
bool topo_comm_declines(struct topo_comm *state);

/* A call on `comm` was left as a rank is lost: native from here on. What the call was at is never touched again. */
void topo_comm_lose(MPI_Comm comm);

/* work(comm), which may be left where ranks may be lost; not begun if one of `comm` is. */
void topo_comm_leavable(void (*work)(MPI_Comm comm), MPI_Comm comm);

/* Makes the attribute key; after topo_job_start() and before the first topo_comm_of(). The clean-up, topo_job_stop()
 * included, runs at the start of MPI_Finalize through an attribute of MPI_COMM_SELF, because Open MPI does not run
 * delete callbacks of MPI_COMM_WORLD (ompi #12068). Set in MPI_Init it is the last one there that is deleted (MPI-4.1,
 * 11.2.4), so the application's callbacks, which may use any communicator, find everything as it was. `user` is kept.
 */
void topo_comm_start(const struct topo_comm_user *user);

/* Forgets MPI_COMM_WORLD and what is kept for communicators to come; before topo_job_stop(). */
void topo_comm_stop(void);

#endif
