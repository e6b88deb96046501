/* Both sides of a guideline in turn, again and again. */
#ifndef TOPO_BENCH_GUIDELINE_MEASURE_H
#define TOPO_BENCH_GUIDELINE_MEASURE_H

#include <mpi.h>

#include "topo-bench/guideline_call.h"
#include "topo-bench/guideline_report.h"
#include "topo-bench/request.h"

/* What all comparisons have in common. */
struct bench_guideline_run {
    const struct bench_request *request; /* time, batch and samples of a comparison */
    MPI_Comm comm;                       /* all ranks */
    MPI_Comm lower; /* the lower half of them, MPI_COMM_NULL on the others, and on all with fewer than 4 */
    struct bench_place place;
    struct bench_settled *settled;
};

/* Measures comparison->guideline at comparison->bytes as its other members say, and fills in the times (valid on rank
 * 0), `wrong` and `failed`, equal on all ranks. `native` is a native call's seconds where calls come late: in with
 * lateness, out on all ranks without. Collective over MPI_COMM_WORLD. Errors, equal on all ranks: TOPO_NOMEM, for
 * counts beyond int, too. */
enum topo_status bench_guideline_measure(const struct bench_guideline_run *run, struct bench_comparison *comparison,
                                         double *native, struct topo_error *error);

#endif
