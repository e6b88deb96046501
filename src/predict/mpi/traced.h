/* The traced run itself, as it was: what predictions are compared with. */
#ifndef TOPO_PREDICT_MPI_TRACED_H
#define TOPO_PREDICT_MPI_TRACED_H

#include "predict/interval.h"
#include "base/notes.h"
#include "trace/read.h"

/* All times as traced. A collective's time up to the entry of its last member is synchronization, the rest
 * communication; entries of different ranks are compared on rank 0's clock. Time without a processor is
 * insufficient parallelism. Integrated; free with topo_intervals_free(). Errors, noted: TOPO_PARSE (ranks
 * missing), TOPO_NOMEM. */
enum topo_status topo_traced(const struct topo_trace_run *run, struct topo_intervals *intervals,
                             struct topo_notes *notes);

#endif
