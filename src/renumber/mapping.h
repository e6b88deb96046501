/* The renumbering of ranks for one algorithm on one tree (docs/REFERENCES.md,
 * Mapping 3). */
#ifndef TOPO_RENUMBER_MAPPING_H
#define TOPO_RENUMBER_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"
#include "machine/tree.h"
#include "renumber/graph.h"
#include "renumber/partition.h"

/* pi is a bijection that fills every unit of every level exactly: virtual
 * number pi[i] is played by rank i, so virtual number v belongs to the units of
 * rank pi_inverse[v]. */
struct topo_mapping {
    int ranks;
    enum topo_graph_kind graph;     /* NONE: `given` */
    const struct topo_graph *given; /* of topo_mapping_of_graph(), whose caller keeps it; else NULL */
    enum topo_partitioner partitioner;
    int *pi;         /* [ranks] */
    int *pi_inverse; /* [ranks] */
    /* Blocks (m = 1, each edge direction counted as the algorithm sends it) that
     * cross each level: index z = topo_tree_shared_levels() of sender and receiver,
     * 0..levels. before: rank i plays i; after: rank i plays pi[i]. */
    int64_t bytes_before[TOPO_LEVELS_MAX + 1];
    int64_t bytes_after[TOPO_LEVELS_MAX + 1];
    int64_t edge_cut_before, edge_cut_after; /* blocks between different nodes */
    bool optimal;                            /* proved: no numbering crosses any level less */
    /* Where pi comes from: "as placed", "tree order", "bit-reversed classes", "graph partition"; static. */
    const char *method;
    double build_seconds;
};

/* Builds the mapping of `graph` on `tree`, all levels, outermost first. Deterministic.
 * AUTO and CLOSED_FORM: no numbering that is better is thrown away: that of the ranks
 * as they are, of blocks, of v mod h where the nodes are equal. METIS: its partition
 * on every level, whatever it is like (renumber/partition.h); it leaves the process's
 * rand() state, signal handlers and stdout alone. A ring takes the ranks in tree order,
 * whoever partitions. Free with topo_mapping_free(). Errors: TOPO_INVALID (recursive
 * doubling and n not a power of two), TOPO_UNSUPPORTED (METIS: there is none),
 * TOPO_NOMEM. */
enum topo_status topo_mapping_build(const struct topo_tree *tree, enum topo_graph_kind graph,
                                    enum topo_partitioner partitioner, struct topo_mapping **mapping,
                                    struct topo_error *error);

/* The same of any graph of as many vertices, bytes for blocks; never proved optimal. TOPO_INVALID: other sizes. */
enum topo_status topo_mapping_of_graph(const struct topo_tree *tree, const struct topo_graph *graph,
                                       enum topo_partitioner partitioner, struct topo_mapping **mapping,
                                       struct topo_error *error);

/* NULL is harmless. */
void topo_mapping_free(struct topo_mapping *mapping);
TOPO_SCOPED_TYPE(topo_mapping)

/* Bijection, every unit filled exactly, cut figures true; unless METIS was asked for, no worse than the ranks as they
 * are. */
enum topo_status topo_mapping_check(const struct topo_mapping *mapping, const struct topo_tree *tree,
                                    struct topo_error *error);

#endif
