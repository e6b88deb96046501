/* Aggregated messages between nodes on their way: what the ranks of a node send to those of
 * another one travels in one message, or in segments (p2p_stream.h), from the first rank of that
 * node, the driver, to that of the other. More drivers, each for other nodes, made short
 * calls no faster. */
#ifndef TOPO_COLL_EXCHANGE_LEADER_EXCHANGE_H
#define TOPO_COLL_EXCHANGE_LEADER_EXCHANGE_H

#include <stddef.h>

#include <mpi.h>

#include "comm/comm.h"

/* One aggregate. */
struct topo_carriage {
    char *at;
    size_t length,
        offset;     /* `length` of an incoming one is the room for it as long as its first segment is not there */
    int rank, node; /* the other driver and its node */
};

/* What the driver moves: incoming aggregates, then outgoing ones, the next node first. */
struct topo_leader_exchange {
    struct topo_carriage *carriage; /* scratch memory */
    MPI_Request *request;           /* one of each carriage */
    int in, out;
    const struct topo_channel *channel;
    size_t (*length_of)(const void *first_segment); /* the length of an incoming aggregate; NULL: it fills its room */
};

/* Lists them, `at` and `length` still to be set; on the first rank of a node, after topo_comm_node(). Returns an MPI
 * error code; topo_leader_exchange_close() in any case. */
int topo_leader_exchange_open(struct topo_leader_exchange *exchange, const struct topo_comm *comm,
                              const struct topo_channel *channel);

/* Starts the receives of the first segments. Returns an MPI error code. */
int topo_leader_exchange_receive(struct topo_leader_exchange *exchange);

/* Sends and receives everything, as many segments at once as there are aggregates. Returns an MPI error code. */
int topo_leader_exchange_run(struct topo_leader_exchange *exchange);

/* Waits for what is under way and frees. Returns an MPI error code: the first one, `code` being an earlier one. */
int topo_leader_exchange_close(struct topo_leader_exchange *exchange, int code);

#endif
