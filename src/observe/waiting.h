/* Who waited for whom in a collective call, on one node: with TOPOMPI_STATS each rank leaves in memory that its node
 * shares when it came to a call. After Scalasca's definitions (docs/REFERENCES.md, Reports 2): where all ranks wait for
 * each other, each waits until the last has come; in a broadcast, until the root has. Nothing is guessed: what is not
 * seen, as on other nodes, is open. */
#ifndef TOPO_OBSERVE_WAITING_H
#define TOPO_OBSERVE_WAITING_H

#include "comm/comm.h"
#include "node/node.h"
#include "observe/stats.h"

/* Collective, in topo_node_reserve_at_once(), with the nodes of MPI_COMM_WORLD: the memory. */
void topo_waiting_reserve(struct topo_node *node);

/* This rank comes to a call. */
void topo_waiting_arrive(const struct topo_comm *state, struct topo_stats_comm *own);

/* It ended, after call->seconds; its root, where it has one. Sets call->waited, ->late, the s that other ranks of the
 * node waited for this one, and ->open: how much more of the call was waiting is not known. */
void topo_waiting_leave(const struct topo_comm *state, const struct topo_stats_comm *own, int root,
                        struct topo_stats_call *call);

#endif
