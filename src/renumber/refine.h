/* Partitions of an information graph into parts of exactly prescribed sizes:
 * the steps that topo_partition() is made of. */
#ifndef TOPO_RENUMBER_REFINE_H
#define TOPO_RENUMBER_REFINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "renumber/graph.h"

/* Weight of the edges between different parts, each edge once: the blocks that
 * cross, both directions together. part[v] is the part of vertex v. */
int64_t topo_partition_cut(const struct topo_graph *graph, const int *part);

/* The same of the edges of every stride-th vertex alone, each edge as often as it is
 * met: for comparing partitions of one large graph. */
int64_t topo_partition_cut_of(const struct topo_graph *graph, const int *part, int stride);

/* Makes part u hold exactly sizes[u] vertices, moving as few vertices as that
 * takes and each time the one that raises the cut least. part[v] in 0..parts-1;
 * sizes[parts] sum to the number of vertices (else TOPO_INVALID). TOPO_NOMEM. */
enum topo_status topo_partition_repair(const struct topo_graph *graph, int parts, const int *sizes, int *part,
                                       struct topo_error *error);

/* Exchanges vertices of two parts as long as that lowers the cut (docs/REFERENCES.md,
 * Methods 2; pair by pair, with hill climbing inside a pair): sizes stay, the cut
 * never rises. `climb`: pairs without a promising first exchange are tried all the
 * same, and all longer: several times dearer. *effort bounds the work in visited edges; what is left of it remains.
 * Deterministic. TOPO_NOMEM. */
enum topo_status topo_partition_refine(const struct topo_graph *graph, int parts, int *part, bool climb,
                                       int64_t *effort, struct topo_error *error);

#endif
