/* How often what is called at a size, from what one call of each takes. No MPI here. */
#ifndef TOPO_BENCH_PLAN_H
#define TOPO_BENCH_PLAN_H

#include <stdbool.h>

#include "topo-bench/request.h"

/* One implementation at one size. */
struct bench_planned {
    double seconds; /* of a call, on the slowest rank; 0: it does not run here */
    bool named;     /* the user's list names it: it is measured in full, however slow */
    int batch;      /* out: calls per sample; 0: no samples */
};

/* Fills in the calls per sample (request->batch) and returns the number of
 * samples that fit request->seconds, within samples_min..samples_max. Where not
 * even samples_min rounds of all of them fit, the slowest that are not named are
 * left out until they do; the two fastest of these always stay. */
int bench_plan(const struct bench_request *request, struct bench_planned *planned, int count);

#endif
