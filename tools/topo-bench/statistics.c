#include "topo-bench/statistics.h"

#include <stdio.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* As a JSON report keeps it, twelve digits of microseconds: clocks count nanoseconds, so times like 312.45 us, which
 * the last bit rounds up or down, are not rare, and a picture made from the file shall have the digits of the run's. */
static double kept(double seconds)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.12g", seconds * 1e6);
    return strtod(digits, NULL) / 1e6;
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
    s.min = kept(s.min);
    s.median = kept(s.median);
    s.max = kept(s.max);
    s.mean = kept(s.mean);
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
