/* Node memory of communicators that live but are called no more: it goes to one that is called and finds no room.
 *
 * Nobody uses the memory of a communicator while all of its ranks are in a call of another one, each after as many of
 * its calls. So the one that asks has all ranks of those that give, and in one all-reduce on its own channel the ranks
 * find out whose ranks all say the same. It waits for nobody but who is in the call anyway, in whatever order ranks
 * call or free the others. A communicator that gave its memory away may ask for some in its next calls as any other.
 * What a promise of equal bits rests on stays (struct topo_shm_region). Where threads call at once, or ranks may be
 * lost, nobody gives anything. */
#ifndef TOPO_NODE_IDLE_H
#define TOPO_NODE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "node/node.h"

/* The list of this process's nodes. */
void topo_idle_add(struct topo_node *node);
void topo_idle_remove(struct topo_node *node);

/* Calls that this thread made, of communicators that ours may run in: it tells how long ago a node was used. */
extern _Thread_local uint64_t topo_idle_calls __attribute__((tls_model("initial-exec")));

/* A call was run by ours, the communicator's number `uses` of such. */
static inline void topo_idle_used(struct topo_node *node, uint64_t uses)
{
    node->uses = uses;
    node->used_at = topo_idle_calls;
}

/* Collective over the node's channel, in a call that may wait: what is idle of its ranks goes. True, on all ranks
 * alike: something did. */
bool topo_idle_make_room(const struct topo_node *asking);

#endif
