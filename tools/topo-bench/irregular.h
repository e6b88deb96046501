/* The irregular message lengths that allgatherv and alltoallv are measured with: equal on all ranks and in every run.
 */
#ifndef TOPO_BENCH_IRREGULAR_H
#define TOPO_BENCH_IRREGULAR_H

#include "base/text.h"
#include "topo-bench/request.h"

/* Bytes that rank `from` sends to rank `to` (itself included): evenly distributed over 0..2 mean. */
size_t bench_irregular_bytes(int from, int to, size_t mean);

/* The nearest number of bytes that the data asked for can have: with gaps whole elements of 8 bytes. */
size_t bench_whole_elements(const struct bench_request *request, size_t bytes);

/* Both. */
size_t bench_irregular_length(const struct bench_request *request, int from, int to, size_t mean);

/* Members of struct bench_operation, where blocks are so long. */
size_t bench_irregular_block(const struct bench_request *request, int ranks, int from, int to, size_t mean);
void bench_irregular_describe(const struct bench_request *request, struct topo_text *out);

#endif
