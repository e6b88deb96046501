/* Which algorithm runs: from facts equal on all ranks, hence the same answer everywhere. */
#ifndef TOPO_SELECT_SELECT_H
#define TOPO_SELECT_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/tree.h"
#include "catalog/algorithm.h"

/* The shape of a communicator, computed once from its tree. */
struct topo_layout {
    int ranks, nodes;
    int node_ranks_min, node_ranks_max; /* ranks per node */
    bool by_slot;                       /* the ranks of every node are consecutive */
    bool has_shm;                       /* ranks of a node have memory in common, as far as is known */
    bool has_racks;                     /* nodes are in groups, such as racks: there are levels above them */
    bool has_processors;                /* each rank has one of its own, as far as is known */
};

/* Fills *layout from `tree`, with memory and processors for all ranks. Errors: TOPO_NOMEM. */
enum topo_status topo_layout_of(const struct topo_tree *tree, struct topo_layout *layout);

struct topo_tuning;
struct topo_rule;

/* The algorithm of `operation` for messages of `bytes` (of what: model/cost.h) when the user left the choice to us: the
 * tuning file's (may be NULL), else what the shipped rules say. Never NULL; the native row where nothing better is
 * known. */
const struct topo_algorithm *topo_select(const struct topo_tuning *tuning, enum topo_operation operation,
                                         const struct topo_layout *layout, size_t bytes);

/* The rule that says so; NULL where none does. */
const struct topo_rule *topo_select_rule(const struct topo_tuning *tuning, enum topo_operation operation,
                                         const struct topo_layout *layout, size_t bytes);

#endif
