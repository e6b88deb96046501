/* topo-bench OPERATION: measures one operation, shows and writes the report. */
#ifndef TOPO_BENCH_COMPARE_H
#define TOPO_BENCH_COMPARE_H

#include "topo-bench/measure.h"

/* The rates of the tree's links, found once for all operations. */
struct bench_link_speeds {
    double nominal[TOPO_LEVELS_MAX], measured[TOPO_LEVELS_MAX]; /* bytes per second; 0: not known */
};

/* Collective over MPI_COMM_WORLD: as given in the request, and as measured if it
 * asks for that. Errors: TOPO_INVALID (a level that the tree has not), TOPO_NOMEM. */
enum topo_status bench_find_speeds(const struct bench_request *request, const struct topo_tree *tree,
                                   struct bench_link_speeds *speeds, struct topo_error *error);

/* Collective over MPI_COMM_WORLD. Measures, shows the table as it grows, writes
 * JSON after every size (what was measured before a crash is kept) and the chart.
 * The exit status is valid on rank 0. *report (may be NULL) is the caller's to
 * free; NULL when measuring failed. */
int bench_compare(const struct bench_request *request, const struct bench_operation *operation,
                  struct bench_variants *variants, const struct topo_tree *tree, const struct bench_link_speeds *speeds,
                  struct bench_report **report);

#endif
