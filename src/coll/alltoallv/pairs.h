/* Messages straight from one rank's buffer into another's. */
#ifndef TOPO_COLL_ALLTOALLV_PAIRS_H
#define TOPO_COLL_ALLTOALLV_PAIRS_H

#include <stddef.h>

#include "coll/alltoallv/alltoallv.h"

/* Tag of these messages; those of the node-aware form have TOPO_TAG. */
enum { TOPO_TAG_PAIR = 3 };

/* Messages under way. */
struct topo_pairs {
    MPI_Request *request; /* room for 2 (n - 1), scratch memory */
    int count;
};

/* Starts all receives and then all sends of more than `above` bytes, but this
 * rank's own, in an order in which the ranks of a node turn to different nodes.
 * Returns an MPI error code; topo_pairs_finish() follows in any case. */
int topo_pairs_start(const struct topo_alltoallv *call, size_t above, struct topo_pairs *pairs);

/* Waits for all and frees. */
int topo_pairs_finish(struct topo_pairs *pairs);

/* This rank's block for itself. */
int topo_pairs_copy_own(const struct topo_alltoallv *call);

/* One message; it is left out (MPI_REQUEST_NULL) when it has no bytes. */
int topo_pairs_send(const struct topo_alltoallv *call, int to, MPI_Request *request);
int topo_pairs_receive(const struct topo_alltoallv *call, int from, MPI_Request *request);

#endif
