/* Messages straight from one rank's buffer into another's. */
#ifndef TOPO_COLL_ALLTOALLV_PAIRS_H
#define TOPO_COLL_ALLTOALLV_PAIRS_H

#include <stddef.h>

#include "coll/alltoallv/alltoallv.h"

/* Tag of these messages; those of the node-aware form have TOPO_TAG. */
enum { TOPO_TAG_PAIR = 3 };

/* Messages under way. */
struct topo_pairs {
    const struct topo_alltoallv *call;
    size_t above;                /* messages of more bytes are meant */
    MPI_Request *receive, *send; /* scratch memory */
    int receives, sends, next;   /* next: peer to send to */
    int *flying;                 /* peers of the sends that are under way */
    size_t bytes;                /* of these */
};

/* Starts all receives and the first sends of more than `above` bytes, but this
 * rank's own: the ranks of a node turn to different nodes, and no more is sent at
 * once than keeps the links busy. Returns an MPI error code; topo_pairs_finish()
 * follows in any case. */
int topo_pairs_start(const struct topo_alltoallv *call, size_t above, struct topo_pairs *pairs);

/* Sends the others, waits for all and frees. */
int topo_pairs_finish(struct topo_pairs *pairs);

/* This rank's block for itself. */
int topo_pairs_copy_own(const struct topo_alltoallv *call);

/* One message; it is left out (MPI_REQUEST_NULL) when it has no bytes. */
int topo_pairs_send(const struct topo_alltoallv *call, int to, MPI_Request *request);
int topo_pairs_receive(const struct topo_alltoallv *call, int from, MPI_Request *request);

#endif
