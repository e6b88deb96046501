/* What all operations share before the first message: which algorithm runs. */
#ifndef TOPO_COLL_CALL_CHOOSE_H
#define TOPO_COLL_CALL_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "catalog/options.h"
#include "comm/comm.h"
#include "catalog/algorithm.h"
#include "select/candidates.h"

/* The option that names the algorithm of `operation`. */
enum topo_option topo_option_of(enum topo_operation operation);

/* The form that the operation's setting names; NULL for auto. */
const struct topo_algorithm *topo_users_choice(enum topo_operation operation);

/* True if native is chosen at every size of `operation` in this communicator and
 * no statistics or verbose output is requested: the arguments need not be read. */
bool topo_native_anyway(enum topo_operation operation, struct topo_comm *state);

/* The answer as comm_group->native_anyway keeps it. */
enum { TOPO_ANYWAY_UNKNOWN, TOPO_ANYWAY_NO, TOPO_ANYWAY_YES };

/* True when it is known without a look at the arguments that a call on the communicator that this thread asked for last
 * is native: the library does nothing there, or nothing but native is ever chosen and nothing is to be made in a call.
 * Counts it then. */
static inline bool topo_native_at_once(enum topo_operation operation, MPI_Comm comm)
{
    struct topo_comm *state = topo_comm_last.state;
    if (topo_comm_last.comm != comm ||
        topo_comm_last.freed != atomic_load_explicit(&topo_comm_freed, memory_order_acquire))
        return false;
    if (!state || state->native)
        return true;
    if (state->consent.wishes || state->consent.undecided ||
        state->comm_group->native_anyway[operation] != TOPO_ANYWAY_YES)
        return false;
    state->calls++;
    return true;
}

struct topo_size;

/* What of a call decides, equal on all ranks. */
struct topo_facts {
    size_t bytes;
    const char *refusal; /* the operation's own reason why nothing but native can run this call; NULL: none */
    unsigned lacking;    /* traits (enum topo_trait) that this call does not have */
    bool one_form;       /* the bits of its result depend on the form */
    bool by_side;        /* even on those of forms that add in one order (TOPO_TRAIT_ORDERED) */
};

/* What of a reduction of `count` elements decides: its bytes, that the pair is not known, that the operation does not
 * commute, or gets the whole vector, which is short where one rank of a node adds it up. Returns an MPI error code. */
int topo_reduction_facts(const struct topo_comm *state, size_t count, MPI_Datatype type, MPI_Op op,
                         struct topo_facts *facts);

/* What is known of calls of `bytes`, found out where it is not; `named` is NULL where memory is
 * out, as for topo_choose(). */
struct topo_size *topo_size_of(enum topo_operation operation, const struct topo_comm *state, bool one_form,
                               size_t bytes);

/* The algorithm for a call in the communicator of `state`: `forced` if not NULL,
 * else the user's, else the selector's. One that is asked for but does not apply
 * gives the native row, said once, or with TOPOMPI_STRICT=1 MPI_ERR_UNSUPPORTED_OPERATION in *code.
 * Every argument but `state->rank` is equal on all ranks, hence so is the answer; where memory runs out on one that
 * must ask the model, it gets MPI_ERR_NO_MEM in *code, as the others may have chosen something else. */
const struct topo_algorithm *topo_choose(enum topo_operation operation, const struct topo_algorithm *forced,
                                         struct topo_comm *state, const struct topo_facts *facts, int *code);

/* What the guard may try in calls of `bytes` for which auto names `named` (select/candidates.h). MPI_SUCCESS or
 * MPI_ERR_NO_MEM, as topo_choose(). */
int topo_candidates(const struct topo_algorithm *named, const struct topo_comm *state, size_t bytes,
                    struct topo_candidates *candidates);

/* Whether the guard tries forms of ours in calls of `bytes` that are native by the rules and whose bits do not depend
 * on the form. MPI_SUCCESS, or MPI_ERR_NO_MEM, as topo_choose(): then *is_tried is true, as nobody knows that it does
 * not. */
int topo_is_tried(enum topo_operation operation, const struct topo_comm *state, size_t bytes, bool *is_tried);

/* What would run for messages of `bytes` on `comm` as things are, where the bits of the result depend on the form
 * (one_form), or not: no message is sent, nothing is said. The native row in a passive job. NULL when memory is out. */
const struct topo_algorithm *topo_algorithm_for(MPI_Comm comm, enum topo_operation operation, size_t bytes,
                                                bool one_form);

#endif
