/* Prediction of a traced MPI program: the same computation and the same calls on
 * another machine or under other algorithms. */
#ifndef TOPO_PREDICT_REPLAY_H
#define TOPO_PREDICT_REPLAY_H

#include "model/params.h"
#include "predict/interval.h"
#include "predict/trace_read.h"
#include "select/algorithm.h"

struct topo_replay_machine {
    const struct topo_tree *tree; /* as many ranks as the trace */
    const struct topo_params *params;
    double speed; /* of its cores relative to the traced ones */
    /* The algorithm of each operation that TopoMPI takes over. */
    enum topo_algorithm_id algorithm[TOPO_OPERATION_COUNT];
};

/* Every rank computes as long as traced (divided by speed); a collective starts
 * when its last member has come (the others' waiting is synchronization) and takes
 * what the model says for its algorithm (model/cost.h). Operations that have no
 * model take as long as traced for the member that came last. Point-to-point
 * calls keep their traced time. Integrated; free with topo_intervals_free().
 * Errors, noted: TOPO_PARSE (ranks missing, ranks that do not meet), TOPO_INVALID
 * (the machine has another number of ranks), TOPO_NOMEM. Only with TOPO_OK, or
 * TOPO_PARSE of ranks that do not meet (up to there), the tree is there. */
enum topo_status topo_replay(const struct topo_trace_run *run, const struct topo_replay_machine *machine,
                             struct topo_intervals *intervals, struct topo_notes *notes);

#endif
