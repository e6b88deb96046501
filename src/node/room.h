/* What is left for others: node-shared memory takes a part of what is free, so that the program and other jobs find
 * what they would find without it. */
#ifndef TOPO_NODE_ROOM_H
#define TOPO_NODE_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True: `ulimit -v` bounds this process. */
bool topo_room_is_limited(void);

/* Addresses that may be taken, where `mapped` bytes are ours already: an eighth of those that are not the program's,
 * beyond what the MPI library may come to need, as it ends the job where it gets none. UINT64_MAX: there is no limit.
 */
uint64_t topo_room_addresses(uint64_t mapped);

/* Bytes in /dev/shm for a segment of `ranks` ranks, of which this one has `charged` bytes there: each rank of a node
 * has an equal part of a quarter of what is free and the job's. The ranks' sum is no more, and each can tell alone. */
uint64_t topo_room_named(uint64_t charged, int ranks);

#endif
