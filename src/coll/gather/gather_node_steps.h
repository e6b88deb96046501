/* The two forms of allgather that exchange whole nodes' blocks in few steps: the ranks of a node put their blocks into
 * shared memory, some of them exchange with other nodes, level by level, and all copy the result out.
 *
 * Cost of leader, where one rank of each node exchanges for all: with k nodes in a group that splits into at most r
 * parts a level, ceil(log_r k) (alpha + (r-1) o) + (N-1) p m beta, o the processor's time for a message, plus two
 * hand-overs and n m bytes copied inside the node. Of radix, where every rank of a node drives, so that p ranks reach
 * p + 1 nodes in one round (locality-aware Bruck: docs/REFERENCES.md, Node exchanges 1): ceil(log_(p+1) N) alpha +
 * (N-1) p m beta, and n m bytes copied inside the node by each rank. */
#ifndef TOPO_COLL_GATHER_GATHER_NODE_STEPS_H
#define TOPO_COLL_GATHER_GATHER_NODE_STEPS_H

#include "coll/gather/gather.h"

/* The exchange kept as `use`, on levels of at most `radix` parts (0: the tree's
 * own levels), driven by `drivers` ranks of each node, or all if it has fewer; with what the rule gives of these
 * instead of them. */
int topo_gather_node_steps(const struct topo_allgather *call, enum topo_node_steps_use use, int radix, int drivers);

#endif
