/* What is kept of many measurements of one thing. */
#ifndef TOPO_BENCH_STATISTICS_H
#define TOPO_BENCH_STATISTICS_H

/* The figure that ratios and pictures use. */
enum bench_statistic { BENCH_MEDIAN, BENCH_MINIMUM };

struct bench_statistics {
    int count; /* 0: nothing was measured, the rest is 0 */
    double min, median, max, mean;
};

/* Of `count` values, which are sorted in place; the median of an even number is
 * the mean of the middle two. */
struct bench_statistics bench_statistics_of(double *values, int count);

/* The one figure. */
double bench_statistic(const struct bench_statistics *statistics, enum bench_statistic which);

/* a / b; 0, which stands for "not known", unless both are positive. */
double bench_ratio(double a, double b);

#endif
