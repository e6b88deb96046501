/* The ranks of a node in groups that are close to each other: a flag which all of a large node's ranks raise or poll
 * would be one cache line that goes round among them all, so each group has lines of its own (node/group_flags.h), and
 * what the ranks of a group add up is one operand for the others (coll/reduction). */
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

/* The groups of the node whose positions are first .. end - 1: group g starts with its rank of number start[g] there,
 * and start[groups] is how many ranks it has. `start` has room for as many and one more. Returns how many groups. */
int topo_node_groups(const struct topo_tree *tree, int first, int end, int *start);

/* Operands that are added one after the other where each group adds up its own and one rank adds the sums. */
int topo_node_additions(const struct topo_tree *tree, int first, int end);

#endif
