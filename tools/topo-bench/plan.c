#include "topo-bench/plan.h"

#include <math.h>

enum { BATCH_MAX = 10000, STAY = 2 };
/* Clocks are no finer; a call that seems to take less would get an endless batch. */
static const double SHORTEST = 1e-7;

static double seconds_of(const struct bench_planned *planned)
{
    return planned->seconds > SHORTEST ? planned->seconds : SHORTEST;
}

/* Seconds of one sample of each. */
static double round_of(const struct bench_planned *planned, int count)
{
    double seconds = 0;
    for (int i = 0; i < count; i++)
        seconds += planned[i].batch * seconds_of(&planned[i]);
    return seconds;
}

/* The slowest that may be left out; -1: no more than STAY are left. */
static int slowest(const struct bench_planned *planned, int count)
{
    int found = -1, left = 0;
    for (int i = 0; i < count; i++) {
        if (planned[i].named || !planned[i].batch)
            continue;
        left++;
        if (found < 0 || planned[i].seconds > planned[found].seconds)
            found = i;
    }
    return left > STAY ? found : -1;
}

int bench_plan(const struct bench_request *request, struct bench_planned *planned, int count)
{
    int out;
    for (int i = 0; i < count; i++) {
        double calls = ceil(request->batch / seconds_of(&planned[i]));
        planned[i].batch = planned[i].seconds <= 0 ? 0 : calls > BATCH_MAX ? BATCH_MAX : calls < 1 ? 1 : (int)calls;
    }
    while (round_of(planned, count) * (double)request->samples_min > request->seconds &&
           (out = slowest(planned, count)) >= 0)
        planned[out].batch = 0;
    double seconds = round_of(planned, count), possible = seconds > 0 ? request->seconds / seconds : 1;
    long samples = possible < (double)request->samples_max ? (long)possible : request->samples_max;
    return (int)(samples < request->samples_min ? request->samples_min : samples);
}
