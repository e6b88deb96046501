/* Partition of an information graph into parts of exactly prescribed sizes with a
 * small cut (docs/REFERENCES.md, Mapping 3, step 2). */
#ifndef TOPO_RENUMBER_PARTITION_H
#define TOPO_RENUMBER_PARTITION_H

#include <stdint.h>

#include "base/status.h"
#include "renumber/graph.h"

/* Writes the number of each vertex's part, part[v] in 0..parts-1 and part p
 * holding exactly sizes[p] > 0 vertices, so that the cut (topo_partition_cut())
 * is small: the best of METIS's partition, repaired and refined, closed forms
 * (blocks and v mod parts where sizes are equal, intervals of the bit-reversed
 * order always), one of them refined too, and `start`, a partition of the right
 * sizes to be no worse than (may be NULL). So the cut is never above METIS's own
 * where METIS meets the sizes, nor above that of any of these forms; `start`
 * itself is kept when nothing is better. Otherwise parts of equal size ascend by
 * their lowest vertex. No cut is below `bound` (0 when nothing is known): one
 * that reaches it ends the search, mostly before METIS runs. Without METIS the
 * closed forms are all refined. Deterministic. Errors: TOPO_INVALID (sizes that
 * are not positive or do not sum up to the number of vertices), TOPO_NOMEM. */
enum topo_status topo_partition(const struct topo_graph *graph, int parts, const int *sizes, const int *start,
                                int64_t bound, int *part, struct topo_error *error);

/* The vertices 0..n-1 by ascending bit-reversed number: order[] has n entries.
 * An interval of 2^k vertices that starts at a multiple of 2^k is a class
 * modulo a power of two when n is one, the best set of its size for both graphs. */
void topo_partition_bit_reversed(int n, int *order);

#endif
