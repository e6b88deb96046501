#include "topo-bench/statistics.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct bench_statistics bench_statistics_of(double *values, int count)
{
    struct bench_statistics s = {.count = count};
    if (count <= 0)
        return (struct bench_statistics){0};
    qsort(values, (size_t)count, sizeof *values, ascending);
    s.min = values[0];
    s.max = values[count - 1];
    s.median = count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
    for (int i = 0; i < count; i++)
        s.mean += values[i] / count;
    return s;
}

double bench_statistic(const struct bench_statistics *statistics, enum bench_statistic which)
{
    return which == BENCH_MINIMUM ? statistics->min : statistics->median;
}

double bench_ratio(double a, double b)
{
    return a > 0 && b > 0 ? a / b : 0;
}
