/* What an order of the ranks changes, of a traced run: the bytes between its ranks. */
#ifndef TOPO_PREDICT_MPI_TRACE_MATRIX_H
#define TOPO_PREDICT_MPI_TRACE_MATRIX_H

#include "machine/tree.h"
#include "schedule/matrix.h"
#include "trace/read.h"

struct topo_trace_matrix {
    struct topo_matrix *matrix;
    double run, messages; /* s: the longest rank's; in point-to-point calls, the mean of the ranks */
};

/* Messages count as they are, and exchanges and gathers whose blocks differ, from each rank to each. Other collectives
 * move the same in any order where all ranks take part, and do not count; of some of the ranks, exchanges, gathers and
 * scatters count by pairs, and the rest with the least that has to cross between the nodes of `tree`, where the ranks
 * are: along a chain of their ranks, node by node. No rank of `run` is missing. Free matrix with topo_matrix_free().
 * Errors: TOPO_INVALID (more bytes than fit), TOPO_NOMEM. */
enum topo_status topo_trace_matrix(const struct topo_trace_run *run, const struct topo_tree *tree,
                                   struct topo_trace_matrix *found, struct topo_error *error);

#endif
