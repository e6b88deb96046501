/* What a rank's processor has to do for messages when all ranks are at it, and how
 * many processors there are for them: where ranks share processors, this and not
 * the links decides. All functions are collective over `comm`. */
#ifndef TOPO_BENCH_CROWD_H
#define TOPO_BENCH_CROWD_H

#include <stddef.h>

#include <mpi.h>

#include "base/processors.h"
#include "machine/tree.h"

/* Who shares processors, from the time of the same computation on rank 0 alone, on its node's ranks, and on all. Equal
 * on all ranks. */
struct topo_sharing bench_sharing_of(MPI_Comm comm, const struct topo_tree *tree);

/* Seconds of one exchange of `messages` (up to BENCH_CROWD_MESSAGES_MAX) of `bytes` in both directions between the
 * ranks of as many pairs as possible that share exactly `shared` levels, all pairs at once; the median of several
 * rounds. *pairs is their number; 0 where there is none, and the result 0. */
enum { BENCH_CROWD_MESSAGES_MAX = 8 };
double bench_crowd(MPI_Comm comm, const struct topo_tree *tree, int shared, size_t bytes, int messages, int *pairs);

/* Seconds of a processor for one look for messages by a rank that then gives it away, with all ranks
 * at it on those that they share; the median of several rounds. */
double bench_turn(MPI_Comm comm, const struct topo_tree *tree, const struct topo_sharing *sharing);

#endif
