/* The sum of a short vector over all ranks: the ranks of a node put their operands
 * into shared memory (node/shm_buffer.h), one of them adds them up and exchanges the sum
 * with ranks of other nodes, step by step. Longer vectors are cut into stripes, each
 * with a rank of its own on every node, and very long ones into segments, one after
 * the other, so that they take no more memory. */
#ifndef TOPO_COLL_REDUCTION_NODE_SUM_H
#define TOPO_COLL_REDUCTION_NODE_SUM_H

#include "coll/reduction/vector.h"
#include "comm/comm.h"

/* `share` says what this rank gets of the sum; ranks that get nothing need no
 * vector->result and leave when their part is done. `steps` brings the sum to the nodes
 * of those that do; topo_comm_node() was called before. *there = false, on all ranks alike
 * and with nothing done: there is no shared memory. Returns an MPI error code. */
int topo_node_sum(struct topo_comm *comm, const struct topo_vector *vector, const struct topo_node_steps *steps,
                  const struct topo_result_range *range, bool *there);

#endif
