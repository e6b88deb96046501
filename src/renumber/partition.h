/* Partition of an information graph into parts of exactly prescribed sizes with a
 * small cut (docs/REFERENCES.md, Mapping 3, step 2). */
#ifndef TOPO_RENUMBER_PARTITION_H
#define TOPO_RENUMBER_PARTITION_H

#include <stdint.h>

#include "base/status.h"
#include "renumber/graph.h"

/* Who makes partitions. */
enum topo_partitioner {
    TOPO_PARTITIONER_AUTO,       /* closed forms, the best of them refined; for some graphs METIS, too */
    TOPO_PARTITIONER_METIS,      /* METIS's multilevel bisection, made exact and refined */
    TOPO_PARTITIONER_CLOSED_FORM /* closed forms as they are: no search */
};

/* Writes the number of each vertex's part, part[v] in 0..parts-1 and part p
 * holding exactly sizes[p] > 0 vertices, so that the cut (topo_partition_cut())
 * is small.
 *
 * AUTO: the best of closed forms (blocks and v mod parts where sizes are equal,
 * intervals of the bit-reversed order, pieces of chains: renumber/chains.h), of
 * refined ones, for some graphs of METIS's (where there is a METIS), and `start`,
 * a partition of the right sizes to be no worse than (may be NULL). So the cut is never above that of any of these forms; `start` itself is
 * kept when nothing is better. No cut is below `bound` (0 when nothing is known):
 * one that reaches it ends the search. CLOSED_FORM: the closed forms and `start` alone.
 * METIS: its partition, with neither of the others, nor `start`.
 *
 * Parts of equal size ascend by their lowest vertex, save in `start`. Deterministic.
 * Errors: TOPO_INVALID (sizes that are not positive or do not sum up to the number
 * of vertices), TOPO_UNSUPPORTED (METIS: there is none), TOPO_NOMEM. */
enum topo_status topo_partition(const struct topo_graph *graph, enum topo_partitioner partitioner, int parts,
                                const int *sizes, const int *start, int64_t bound, int *part, struct topo_error *error);

/* The vertices 0..n-1 by ascending bit-reversed number: order[] has n entries.
 * An interval of 2^k vertices that starts at a multiple of 2^k is a class
 * modulo a power of two when n is one, the best set of its size for both graphs. */
void topo_partition_bit_reversed(int n, int *order);

#endif
