/* The two forms of allgather that exchange whole nodes' blocks in few steps. */
#ifndef TOPO_COLL_GATHER_GATHER_NODE_STEPS_H
#define TOPO_COLL_GATHER_GATHER_NODE_STEPS_H

#include "coll/gather/gather.h"

/* The exchange kept as `use`, on levels of at most `radix` parts (0: the tree's
 * own levels), driven by `drivers` ranks of each node, or all if it has fewer; with what the rule gives of these instead
 * of them. */
int topo_gather_node_steps(const struct topo_allgather *call, enum topo_node_steps_use use, int radix, int drivers);

#endif
