/* Exchanges of few messages (patterns/node_steps.h) of a communicator, as the operations use them. */
#ifndef TOPO_COLL_BASE_NODE_STEPS_H
#define TOPO_COLL_BASE_NODE_STEPS_H

#include "comm/comm.h"

/* The steps of this rank's node on levels of at most `radix` parts (0: the tree's
 * own), made once for each radix and kept as `use`. topo_comm_node()
 * was called before. NULL when memory is out. */
const struct topo_node_steps *topo_node_steps_of(struct topo_comm *comm, enum topo_node_steps_use use, int radix);

/* The most messages, sent and received, of any of its steps. */
int topo_node_steps_requests(const struct topo_node_steps *steps);

#endif
