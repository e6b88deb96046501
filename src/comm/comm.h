/* What is known of one communicator; kept in an attribute of it, made at first use. */
#ifndef TOPO_COMM_COMM_H
#define TOPO_COMM_COMM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "comm/members.h"
#include "comm/plan.h"
#include "comm/shape.h"
#include "comm/shared.h"
#include "machine/tree.h"
#include "mapping/graph.h"
#include "select/algorithm.h"
#include "select/select.h"

struct topo_lessons;
struct topo_exchange;

/* A call that the native algorithm takes (coll/repeat.h); a type of 0: none. */
enum { TOPO_REPEATS = 8 };
struct topo_repeat {
    enum topo_operation operation;
    int count;
    MPI_Datatype type;
    MPI_Op op;
    bool shares; /* layout.shares then */
};

struct topo_comm {
    bool native; /* nothing to gain or not possible: every call passes through */
    int rank, ranks;
    struct topo_members *members; /* NULL when native; it owns the tree and the order */
    const struct topo_tree *tree; /* ranks of this communicator */
    struct topo_layout layout;
    const int *order; /* [ranks] the ranks in tree order */
    int position;     /* of this rank in it */
    /* Where internal messages travel: a communicator of the same ranks that the
     * application never sees. MPI_COMM_NULL until first needed. */
    MPI_Comm private_comm;
    struct topo_lessons *lessons; /* coll/learn.h */
    size_t spared; /* weight of the calls that stayed native before a private communicator was worth making */
    uint64_t told[TOPO_OPERATION_COUNT]; /* TOPOMPI_VERBOSE: size classes spoken of */
    struct topo_repeat repeats[TOPO_REPEATS];
    struct {
        bool known;
        size_t bytes;
        double seconds;
    } modelled[TOPO_OPERATION_COUNT];    /* TOPOMPI_STATS: what the model gave the native algorithm last */
    struct topo_plan *plan[TOPO_GRAPHS]; /* by graph; NULL until first needed */
    struct topo_shapes *shapes;          /* of the all-reduces; NULL until first needed */
    struct topo_exchange *exchange;      /* of MPI_Alltoallv (coll/alltoallv/exchange.h); NULL until first needed */
    struct topo_shared *shared;          /* nodes and their shared memory; NULL until first needed */
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

/* Collective: makes the private communicator and, when `graph` is not NONE, the
 * plan for it. All ranks get the same answer: false means that `comm` stays
 * native for what needs them. Cheap when both exist. */
bool topo_comm_prepare(MPI_Comm comm, struct topo_comm *state, enum topo_graph_kind graph);

/* Makes the attribute key; before the first topo_comm_of(). Its clean-up runs at
 * the start of MPI_Finalize through an attribute of MPI_COMM_SELF, because Open
 * MPI does not run delete callbacks of MPI_COMM_WORLD (ompi #12068). */
void topo_comm_start(void);

#endif
