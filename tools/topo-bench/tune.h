/* Rules of a tuning file from reports: which algorithm where. No MPI here. */
#ifndef TOPO_BENCH_TUNE_H
#define TOPO_BENCH_TUNE_H

#include "select/select.h"
#include "topo-bench/report.h"

/* How much shorter than native's the median must be, and in what share of the
 * rounds the algorithm must have been faster, for a rule to name it. */
#define BENCH_TUNE_MARGIN 0.05
#define BENCH_TUNE_ROUNDS 0.75

/* The algorithm for a size of the report: the fastest of ours when it is surely
 * faster than native (both limits above, right results at this size and no
 * error), else native. NULL: native itself was not measured or is wrong. */
const struct topo_algorithm *bench_tune_winner(const struct bench_report *report, int size);

/* Appends the rules of one report, for communicators of this layout: neighbouring
 * sizes with one winner share a rule; between two measured sizes the rules meet at
 * their geometric mean; nothing is said beyond the largest. A comment above each
 * rule gives the medians it comes from. */
void bench_tune_rules(const struct bench_report *report, const struct topo_layout *layout, struct topo_text *out);

#endif
