/* Several runs of one measurement as one report. */
#ifndef TOPO_BENCH_MERGE_H
#define TOPO_BENCH_MERGE_H

#include "topo-bench/report.h"

/* Merges those of the *count reports that measured the same thing (operation, label, ranks of each node, placement,
 * data, MPI) into the first of them, which gets its number of runs; the others are freed and *count is what is left,
 * in order. Sizes and algorithms are those of the first. The median of a time is that of the runs' medians, so that a
 * run which was slow as a whole does not decide, minimum and maximum are those of all samples; bounds and measured
 * rates are medians. An algorithm may be missing in some runs. TOPO_NOMEM: the reports are whole, some not merged. */
enum topo_status bench_merge(struct bench_report **report, int *count);

#endif
