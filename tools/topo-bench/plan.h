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

/* Calls that take `seconds` together, where each takes `call` seconds: 1 at least, and not endless. */
int bench_plan_calls(double seconds, double call);

/* Fills in the calls per sample (request->batch) and returns the number of
 * samples that fit request->seconds, within samples_min..samples_max. Where not
 * even samples_min rounds of all of them fit, the slowest that are not named are
 * left out until they do; the two fastest of these always stay. */
int bench_plan(const struct bench_request *request, struct bench_planned *planned, int count);

/* Of two that are compared, each taking so many seconds a call: the calls per sample, the same for both, as what a
 * sample takes by itself must weigh as much in both times. As many as take request->batch together of the faster one,
 * and four times that of the slower one at most. Returns the number of samples as bench_plan() does. */
int bench_plan_pair(const struct bench_request *request, const double seconds[2], int *batch);

#endif
