/* Lower bounds: no algorithm can be faster than the bytes that must pass the
 * links of the machine's tree take at the links' rates. Messages between two
 * units cross the link of every unit that holds one of them and not the other. */
#ifndef TOPO_BENCH_BOUND_H
#define TOPO_BENCH_BOUND_H

#include <stddef.h>

#include "base/status.h"
#include "machine/tree.h"

/* Bytes that one call must bring into and out of every unit, summed over the
 * communicators that make the call at the same time. */
struct bench_traffic;

/* Nothing yet, on this machine; `tree` must outlive it. Free with
 * bench_traffic_free(). Errors: TOPO_NOMEM. */
enum topo_status bench_traffic_new(const struct topo_tree *tree, struct bench_traffic **traffic,
                                   struct topo_error *error);
void bench_traffic_free(struct bench_traffic *traffic);

/* A communicator whose rank i is rank ranks[i] of the tree: allgather with
 * blocks of m bytes. Into a unit with s of the n ranks: (n - s) m; out: s m, each
 * of its blocks once. */
void bench_traffic_allgather(struct bench_traffic *traffic, const int *ranks, int count, double m);

/* Allreduce of a vector of `bytes`. Every unit must get it once and give it once;
 * and N units need 2 (N - 1) transfers of each byte (one-way gossip: N - 1 to
 * bring the parts together, N - 1 to tell the others), at best spread evenly:
 * 2 (N - 1) / N per link. */
void bench_traffic_allreduce(struct bench_traffic *traffic, const int *ranks, int count, double bytes);

/* Reduce-scatter that gives each rank `m` bytes. Every unit must give its sums of what others get, and get its own; and
 * N units need N - 1 transfers of each byte, at best spread evenly. */
void bench_traffic_reduce_scatter(struct bench_traffic *traffic, const int *ranks, int count, double m);

typedef double bench_pair_bytes(int from, int to, const void *context);

/* Allgather of blocks of different lengths: bytes(rank, rank, context) that of a rank of the communicator. */
void bench_traffic_allgatherv(struct bench_traffic *traffic, const int *ranks, int count, bench_pair_bytes *bytes,
                              const void *context);

/* Broadcast of `bytes` from the communicator's rank 0: into every unit but that one's once, out of that one once. */
void bench_traffic_bcast(struct bench_traffic *traffic, const int *ranks, int count, double bytes);

/* Reduction of a vector of `bytes` to the communicator's rank 0: out of every unit but that one's once, into that one
 * once. */
void bench_traffic_reduce(struct bench_traffic *traffic, const int *ranks, int count, double bytes);

/* All-to-all: rank `from` of the communicator sends bytes(from, to, context) to `to`. */
void bench_traffic_alltoallv(struct bench_traffic *traffic, const int *ranks, int count, bench_pair_bytes *bytes,
                             const void *context);

/* Bytes that must enter, and leave, a unit. */
double bench_traffic_in(const struct bench_traffic *traffic, int level, int unit);
double bench_traffic_out(const struct bench_traffic *traffic, int level, int unit);

/* Seconds that the traffic takes at least. rate[level] is what the link of a unit
 * of that level carries each way, bytes per second; 0: no limit known. *level
 * (may be NULL) is the level that decides, -1 with 0 seconds when none does. */
double bench_traffic_seconds(const struct bench_traffic *traffic, const double *rate, int *level);

#endif
