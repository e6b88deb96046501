/* The ranks of a node in groups that are close to each other: a flag which all of a large node's ranks raise or poll
 * would be one cache line that goes round among them all, so each group has lines of its own (node/group_flags.h). */
#ifndef TOPO_PATTERNS_NODE_GROUPS_H
#define TOPO_PATTERNS_NODE_GROUPS_H

#include "machine/tree.h"

/* Ranks of a group at most, but where a test sets another number, on all ranks alike. Up to so many ranks of today's
 * processors share a last-level cache or a NUMA domain. */
enum { TOPO_GROUP_RANKS = 16 };
extern int topo_group_ranks_most;

/* Of one rank. */
struct topo_node_group {
    int groups;      /* of its node */
    int groups_most; /* of the node that has most: equal on all ranks */
    int mine;        /* its group, 0.. in tree order */
    int ranks;       /* of its group */
};

/* The group of the rank at `position` in tree->order. Groups are runs of positions; a node of at most
 * topo_group_ranks_most ranks is one group. A larger one is cut along the outermost level inside it whose units are no
 * larger than that (package, NUMA domain, L3): units of one parent that follow each other are joined as long as they
 * fit. Without such a level the cuts are even. No messages; O(ranks * levels). */
struct topo_node_group topo_node_group_of(const struct topo_tree *tree, int position);

#endif
