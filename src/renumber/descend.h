/* Which ranks play which virtual numbers: the ways to fill a tree, outermost
 * level first. Used by mapping.c alone. */
#ifndef TOPO_RENUMBER_DESCEND_H
#define TOPO_RENUMBER_DESCEND_H

#include <stdbool.h>

#include "base/status.h"
#include "machine/tree.h"
#include "renumber/graph.h"
#include "renumber/partition.h"

/* Fills rank_of[v], the rank that plays virtual number v, for all tree->ranks of
 * them. Every unit gets as many numbers as it has ranks. Where a unit holds both
 * the rank and the number v, they meet; the others ascend together. TOPO_NOMEM. */

/* Intervals of the bit-reversed order, larger units first, units of equal size
 * in the order of their lowest number. No graph is needed. */
enum topo_status topo_descend_bit_reversed(const struct topo_tree *tree, int *rank_of, struct topo_error *error);

/* topo_partition() of each unit's induced graph among the units inside it. `gathers`: the graph is that of an
 * all-gather, whose blocks enter each unit once at least, which bounds the cut. */
enum topo_status topo_descend_partition(const struct topo_tree *tree, const struct topo_graph *graph, bool gathers,
                                        enum topo_partitioner partitioner, int *rank_of, struct topo_error *error);

#endif
