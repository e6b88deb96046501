/* The irregular message lengths that alltoallv is measured with: equal on all ranks and in every run. */
#ifndef TOPO_BENCH_IRREGULAR_H
#define TOPO_BENCH_IRREGULAR_H

#include <stddef.h>

/* Bytes that rank `from` sends to rank `to` (itself included): evenly distributed over 0..2 mean. */
size_t bench_irregular_bytes(int from, int to, size_t mean);

#endif
