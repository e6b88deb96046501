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

/* How long the blocks or messages of a call are: of(from, to, context) bytes, or `equal` ones where `of` is NULL. */
struct bench_lengths {
    double equal;
    double (*of)(int from, int to, const void *context);
    const void *context;
};

/* What one call of a communicator brings where its rank i is rank ranks[i] of the tree. */
typedef void bench_add_traffic(struct bench_traffic *traffic, const int *ranks, int count,
                               const struct bench_lengths *lengths);

/* Allgather; of(i, i) is the block of rank i. Into every unit the blocks of the others; out of it its own, once. */
bench_add_traffic bench_traffic_allgather;

/* Allreduce of a vector of equal bytes. Every unit must get it once and give it once;
 * and N units need 2 (N - 1) transfers of each byte (one-way gossip: N - 1 to
 * bring the parts together, N - 1 to tell the others), at best spread evenly:
 * 2 (N - 1) / N per link. */
bench_add_traffic bench_traffic_allreduce;

/* Reduce-scatter that gives each rank equal bytes. Every unit must give its sums of what others get, and get its own;
 * and N units need N - 1 transfers of each byte, at best spread evenly. */
bench_add_traffic bench_traffic_reduce_scatter;

/* Broadcast of equal bytes from the communicator's rank 0: into every unit but that one's once, out of that one once.
 */
bench_add_traffic bench_traffic_bcast;

/* Reduction of a vector of equal bytes to the communicator's rank 0: out of every unit but that one's once, into that
 * one once. */
bench_add_traffic bench_traffic_reduce;

/* Gather to the communicator's rank 0, of(i, i) is the block of rank i: out of every unit but that one's those of its ranks, into that one
 * those of all others. Scatter: the same the other way round. */
bench_add_traffic bench_traffic_gather;
bench_add_traffic bench_traffic_scatter;

/* Scan of vectors of one length: into a unit one that has a rank of another before one of its own, out of it where such
 * a rank is behind. */
bench_add_traffic bench_traffic_scan;

/* All-to-all: rank `from` of the communicator sends of(from, to) to `to`. */
bench_add_traffic bench_traffic_alltoall;

/* Bytes that must enter, and leave, a unit. */
double bench_traffic_in(const struct bench_traffic *traffic, int level, int unit);
double bench_traffic_out(const struct bench_traffic *traffic, int level, int unit);

/* Seconds that the traffic takes at least. rate[level] is what the link of a unit
 * of that level carries each way, bytes per second; 0: no limit known. *level
 * (may be NULL) is the level that decides, -1 with 0 seconds when none does. */
double bench_traffic_seconds(const struct bench_traffic *traffic, const double *rate, int *level);

#endif
