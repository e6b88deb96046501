/* topo-bench tune: measures levels and algorithms, writes the tuning file. */
#ifndef TOPO_BENCH_TUNE_COMMAND_H
#define TOPO_BENCH_TUNE_COMMAND_H

#include "topo-bench/compare.h"

/* Collective over MPI_COMM_WORLD; rank 0 writes request->tuning. The operations'
 * variants are variants[operations]. The exit status is valid on rank 0. */
int bench_tune(const struct bench_request *request, const struct bench_operation *const *operation,
               struct bench_variants *variants, int operations, const struct topo_tree *tree,
               const struct bench_link_speeds *speeds);

#endif
