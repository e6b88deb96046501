/* A message from every rank to every other: one call as the engines of MPI_Alltoallv and MPI_Alltoall see it. */
#ifndef TOPO_COLL_EXCHANGE_EXCHANGE_H
#define TOPO_COLL_EXCHANGE_EXCHANGE_H

#include "coll/exchange/buffer_desc.h"
#include "coll/exchange/count_estimate.h"
#include "comm/comm.h"

/* A message between every two ranks. Both ends of a pair know its bytes, no one
 * else needs to: what is decided for a pair by its bytes is decided alike. */
struct topo_alltoallv {
    struct topo_comm *comm; /* n = comm->ranks */
    const struct topo_channel *channel;
    struct topo_count_estimate *estimate;
    struct topo_buffer_desc send, receive;
};

#endif
