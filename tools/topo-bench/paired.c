#include "topo-bench/paired.h"

#include <math.h>

#include "topo-bench/statistics.h"

static const double ERROR_MAX = 0.001;

const char *bench_verdict_word(enum bench_verdict verdict)
{
    static const char *const words[BENCH_VERDICTS] = {"kept", "broken", "unclear"};
    return words[verdict];
}

/* So many of the smallest of `count` values are, together, below their distribution's median but for ERROR_MAX: the
 * largest k for which fewer than k of `count` fair coins show heads with at most that probability. 0: there is none. */
static int certain_rank(int count)
{
    double below = 0;
    int k = 0;
    for (; k < count; k++) {
        below += exp(lgamma(count + 1.0) - lgamma(k + 1.0) - lgamma(count - k + 1.0) - count * log(2));
        if (below > ERROR_MAX)
            break;
    }
    return k;
}

struct bench_paired bench_paired_of(double *ratio, int count)
{
    struct bench_paired paired = {.count = count, .ratio = bench_statistics_of(ratio, count).median, .high = INFINITY};
    int k = certain_rank(count);
    if (k > 0) {
        paired.low = ratio[k - 1];
        paired.high = ratio[count - k];
    }
    return paired;
}

enum bench_verdict bench_verdict_of(const struct bench_paired *paired, double slack)
{
    if (paired->low > 1 + slack)
        return BENCH_BROKEN;
    return paired->high <= 1 + slack ? BENCH_KEPT : BENCH_UNCLEAR;
}
