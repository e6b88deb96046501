/* Two calls measured in turn: how their times are to each other, and whether that is certain. No MPI here. */
#ifndef TOPO_BENCH_PAIRED_H
#define TOPO_BENCH_PAIRED_H

/* With fewer pairs nothing is certain: 2^-10 is the first below the error that is allowed. */
enum { BENCH_PAIRS_LEAST = 10 };

/* The left time over the right one, of each round in which both were measured. */
struct bench_paired {
    int count;
    double ratio;     /* the median */
    double low, high; /* the median of all rounds that could be measured is not below `low`, and not above `high`, each
                       * but for one time in a thousand; 0 and infinity where there are too few */
};

enum bench_verdict { BENCH_KEPT, BENCH_BROKEN, BENCH_UNCLEAR, BENCH_VERDICTS };

/* "kept", "broken", "unclear". */
const char *bench_verdict_word(enum bench_verdict verdict);

/* Of `count` ratios, which are sorted in place. The limits are order statistics, the sign test turned round
 * (docs/REFERENCES.md, Methods 4): nothing is assumed of how times are distributed but that the rounds do not depend on
 * each other. */
struct bench_paired bench_paired_of(double *ratio, int count);

/* Whether left <= (1 + slack) right: broken where even `low` is above, kept where `high` is not. */
enum bench_verdict bench_verdict_of(const struct bench_paired *paired, double slack);

#endif
