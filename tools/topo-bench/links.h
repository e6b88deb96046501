/* Measuring the machine itself: two ranks alone, and many through one link. All
 * functions are collective over `comm`; ranks that take no part sleep. */
#ifndef TOPO_BENCH_LINKS_H
#define TOPO_BENCH_LINKS_H

#include <stddef.h>

#include <mpi.h>

#include "machine/tree.h"
#include "topo-bench/statistics.h"

/* A barrier in which those who wait sleep: on machines with more ranks than
 * cores they would take the cores from the two that are measured. */
void bench_quiet_barrier(MPI_Comm comm);

/* Two ranks that share exactly `shared` outer levels of the tree; false: there
 * are none. The lowest such p, then the lowest q > p. */
bool bench_pair_of(const struct topo_tree *tree, int shared, int *p, int *q);

/* Seconds one way (half of there and back) of a message between ranks p and q,
 * from about `seconds` of trying; the result is valid on all ranks. */
struct bench_statistics bench_ping_pong(MPI_Comm comm, int p, int q, size_t bytes, double seconds);

/* Which ranks talk when the link of one unit is filled. */
struct bench_pairs {
    int count;
    int *outside, *inside; /* [count] pair i: a rank outside the unit and one in it */
};

/* As many pairs as possible through the link of a unit of `level`: the unit that
 * has most, its partners spread over the other units. count 0 where the level has
 * one unit. Free with bench_pairs_free(). Errors: TOPO_NOMEM. */
enum topo_status bench_pairs_through(const struct topo_tree *tree, int level, struct bench_pairs *pairs,
                                     struct topo_error *error);

/* Every second rank of the largest innermost unit with its neighbour. */
enum topo_status bench_pairs_within(const struct topo_tree *tree, struct bench_pairs *pairs, struct topo_error *error);
void bench_pairs_free(struct bench_pairs *pairs);

enum bench_direction { BENCH_IN, BENCH_OUT, BENCH_BOTH };

/* The length of messages that fill a link; in both directions at once short enough for MPI to send without asking, or
 * the receivers' answers would queue behind the bytes that go their way, and the link stand still meanwhile. */
enum { BENCH_STREAM_BYTES = 65536, BENCH_STREAM_BOTH_BYTES = 32768 };

/* Payload bytes per second that all pairs together bring through (in, out, or
 * each way when both) in messages of `bytes`, the best of several rounds of at
 * least 50 ms each. */
double bench_stream(MPI_Comm comm, const struct bench_pairs *pairs, enum bench_direction direction, size_t bytes);

/* Seconds to copy a byte, to add a byte of doubles to another, and of a rank's
 * CPU for a message to a rank of its own node; measured on rank 0 and told to all. */
struct bench_local {
    double copy, add, message;
};
struct bench_local bench_local_costs(MPI_Comm comm, const struct topo_tree *tree);

#endif
