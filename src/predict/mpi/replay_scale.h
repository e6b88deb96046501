/* Predictions for another number of ranks than was traced. */
#ifndef TOPO_PREDICT_MPI_REPLAY_SCALE_H
#define TOPO_PREDICT_MPI_REPLAY_SCALE_H

#include <stdbool.h>
#include <stdint.h>

/* What stays the same when the number of ranks changes from P to Q.
 * STRONG, the problem: a rank computes P/Q of what was traced; allgather,
 * gather, scatter and alltoall blocks are P/Q as long, entries of the exchanges'
 * matrices (P/Q)^2.
 * WEAK, the problem of a rank: computation and blocks as traced; what a rank
 * exchanges with all others as traced, so entries between two ranks P/Q.
 * FIXED, everything: as traced, entries too.
 * Vectors that all ranks have whole (allreduce, broadcast, reduce, scan) stay as long. */
#define REPLAY_SCALING_MAP(X) X(STRONG, "strong") X(WEAK, "weak") X(FIXED, "fixed")

enum replay_scaling {
#define X(id, word) REPLAY_SCALING_##id,
    REPLAY_SCALING_MAP(X)
#undef X
};

/* One rule: for the intervals of this name and what is inside them; NULL: all others. */
struct replay_scaling_rule {
    const char *interval;
    enum replay_scaling scaling;
};

struct replay_scaling_rules {
    const struct replay_scaling_rule *list;
    int count;
    enum replay_scaling otherwise;
};

/* By word; false: none of the words. */
bool replay_scaling_find(const char *word, enum replay_scaling *scaling);

/* What `scaling` makes of one rank's computation, of a block, and of an entry of a matrix. */
struct replay_factors {
    double work, block, entry;
};
struct replay_factors replay_factors_of(enum replay_scaling scaling, int from, int to);

/* The traced rank that rank `rank` of `to` behaves like: the one at the same place. */
int replay_source(int rank, int from, int to);

#endif
