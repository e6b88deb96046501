/* Long blocks: every block travels by itself, straight to its place in the receive buffer. */
#ifndef TOPO_COLL_GATHER_GATHER_DIRECT_H
#define TOPO_COLL_GATHER_GATHER_DIRECT_H

#include "coll/gather/gather.h"

/* One step of an algorithm seen from this rank: blocks at positions send_at ..
 * send_at + count - 1 go to rank `to`, those of receive_at .. come from `from`. */
struct topo_step {
    int to, from, send_at, receive_at, count;
};

/* From this block size on one message a block costs less than copying them together. */
enum { TOPO_DIRECT_BYTES = 16384 };

/* True when this call's blocks are to travel one by one. Equal on all ranks: the
 * peers' messages depend on it, the layout of the receive buffer must not. */
bool topo_allgather_is_direct(const struct topo_allgather *call);

/* Runs `steps`. owner[p] is the rank whose block has position p (n entries, a
 * permutation), `start` the position held at the beginning, whose block lies in
 * `first`. A block is passed on as soon as it is there, so that the links of all
 * levels work at the same time. Returns an MPI error code. */
int topo_allgather_direct(const struct topo_allgather *call, const struct topo_step *steps, int step_count,
                          const int *owner, int start, const char *first);

#endif
