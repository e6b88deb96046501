/* Who sends how much to whom in topo-bench alltoallv: irregular lengths of all pairs, a random graph, an array that is
 * redistributed, or a matrix from a file. */
#ifndef TOPO_BENCH_LENGTHS_H
#define TOPO_BENCH_LENGTHS_H

#include "topo-bench/request.h"

/* Collective, before the first of the others: rank 0 reads request->matrix_file, all keep it; without --sizes its own
 * mean becomes the one size that is measured. Errors, equal on all ranks: TOPO_PARSE (more senders, receivers or grid
 * places than ranks, what is wrong in the file), TOPO_IO, TOPO_NOMEM. */
enum topo_status bench_lengths_start(struct bench_request *request, int rank, int ranks, struct topo_error *error);

/* "irregular", "random graph of 4N messages", ... */
void bench_lengths_describe(const struct bench_request *request, struct topo_text *out);

/* False when the lengths cannot be had at this mean: no memory, more messages than pairs or bytes. */
bool bench_lengths_ready(const struct bench_request *request, int ranks, size_t mean);

/* Bytes from one of `ranks` ranks to another at a mean of `mean`; equal on all ranks. 0 where they are not ready. */
size_t bench_length(const struct bench_request *request, int ranks, int from, int to, size_t mean);

#endif
