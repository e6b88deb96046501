/* Messages straight from one rank's buffer into another's, few bytes of them at once. */
#ifndef TOPO_COLL_EXCHANGE_PAIRS_H
#define TOPO_COLL_EXCHANGE_PAIRS_H

#include "coll/exchange/p2p_stream.h"

/* A message under way, of which a segment of `length` is being sent. */
struct topo_flight {
    int to;
    size_t bytes, offset, length;
};

struct topo_pairs {
    struct topo_p2p_stream sending, receiving;
    size_t above;                /* messages of more bytes are meant */
    MPI_Request *receive, *send; /* scratch memory */
    struct topo_flight *flight;  /* [sends] */
    int receives, sends;
    int next;     /* peer to send to */
    size_t bytes; /* being sent */
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

#endif
