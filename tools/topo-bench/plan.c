#include "topo-bench/plan.h"

#include <math.h>

enum { BATCH_MAX = 10000, STAY = 2 };
/* Clocks are no finer; a call that seems to take less would get an endless batch. */
static const double SHORTEST = 1e-7;

static double seconds_of(const struct bench_planned *planned)
{
    return planned->seconds > SHORTEST ? planned->seconds : SHORTEST;
}

int bench_plan_calls(double seconds, double call)
{
    double calls = ceil(seconds / (call > SHORTEST ? call : SHORTEST));
    return calls > BATCH_MAX ? BATCH_MAX : calls < 1 ? 1 : (int)calls;
}

/* Rounds of so many seconds that fit. */
static int samples_for(const struct bench_request *request, double round)
{
    double possible = round > 0 ? request->seconds / round : 1;
    long samples = possible < (double)request->samples_max ? (long)possible : request->samples_max;
    return (int)(samples < request->samples_min ? request->samples_min : samples);
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
    for (int i = 0; i < count; i++)
        planned[i].batch = planned[i].seconds <= 0 ? 0 : bench_plan_calls(request->batch, planned[i].seconds);
    while (round_of(planned, count) * (double)request->samples_min > request->seconds &&
           (out = slowest(planned, count)) >= 0)
        planned[out].batch = 0;
    return samples_for(request, round_of(planned, count));
}

int bench_plan_pair(const struct bench_request *request, const double seconds[2], int *batch)
{
    const double longer = 4;
    double fast = seconds[0] < seconds[1] ? seconds[0] : seconds[1], slow = seconds[0] + seconds[1] - fast;
    int calls = bench_plan_calls(request->batch, fast), most = bench_plan_calls(longer * request->batch, slow);
    *batch = calls < most ? calls : most;
    return samples_for(request, *batch * (fast + slow));
}
