/* Prediction of a traced MPI program: the same computation and the same calls on
 * another machine, under other algorithms, or on another number of ranks. */
#ifndef TOPO_PREDICT_MPI_REPLAY_H
#define TOPO_PREDICT_MPI_REPLAY_H

#include "base/watch.h"
#include "model/params.h"
#include "predict/interval.h"
#include "predict/mpi/replay_scale.h"
#include "trace/read.h"
#include "catalog/algorithm.h"
#include "select/tuning.h"

/* Which algorithm an operation of the library's table runs under. */
enum topo_replay_how {
    TOPO_REPLAY_ALGORITHM, /* the one named; native when it is another operation's */
    TOPO_REPLAY_HAN,       /* Open MPI's HAN */
    TOPO_REPLAY_AUTO,      /* what the library takes by itself */
    TOPO_REPLAY_TRACED     /* what it took in the traced run */
};

struct topo_replay_choice {
    enum topo_replay_how how;
    enum topo_algorithm_id algorithm;
};

struct topo_replay_machine {
    const struct topo_tree *tree; /* its ranks are those of the prediction */
    const struct topo_params *params;
    const struct topo_tuning *tuning; /* for AUTO; NULL: none */
    double speed;                     /* of its cores relative to the traced ones */
    struct topo_replay_choice choice[TOPO_OPERATION_COUNT];
    struct replay_scaling_rules scaling; /* where the machine has another number of ranks */
    const struct topo_watch *watch;      /* told how many of the events are through; NULL: nobody */
};

/* Every rank computes as long as traced, divided by speed; where the machine has
 * fewer cores than ranks they wait for each other (that time is insufficient
 * parallelism). A collective takes what the model says for its algorithm
 * (model/cost.h) from when its last member has come (the others' waiting is
 * synchronization); allgathers and exchanges whose members need not wait for each
 * other (topo_cost_streams()) less by what is done before. Point-to-point calls keep their traced time.
 * Another number of ranks than traced needs communicators of all ranks or of one;
 * each rank behaves like the traced one at its place (predict/mpi/replay_scale.h).
 * Integrated; free with topo_intervals_free(). Errors, noted: TOPO_PARSE (ranks
 * missing, ranks that do not meet), TOPO_INVALID (other communicators), TOPO_NOMEM.
 * Only with TOPO_OK, or TOPO_PARSE of ranks that do not meet (up to there), the tree is there. */
enum topo_status topo_replay(const struct topo_trace_run *run, const struct topo_replay_machine *machine,
                             struct topo_intervals *intervals, struct topo_notes *notes);

#endif
