/* Parcels between nodes on their way: what the ranks of a node send to those of
 * another one travels in one message, or in pieces (p2p_stream.h), from the first rank of that
 * node, the driver, to that of the other. With more drivers, each for other nodes, calls
 * took as long: measured on an emulated cluster of 4 x 4 ranks, 8 bytes to 8 KiB. */
#ifndef TOPO_COLL_EXCHANGE_LEADER_EXCHANGE_H
#define TOPO_COLL_EXCHANGE_LEADER_EXCHANGE_H

#include <stddef.h>

#include <mpi.h>

#include "comm/comm.h"

/* One parcel. */
struct topo_carriage {
    char *at;
    size_t length, offset; /* `length` of an incoming one is the room for it as long as its first piece is not there */
    int rank, node;        /* the other driver and its node */
};

/* What the driver moves: incoming parcels, then outgoing ones, the next node first. */
struct topo_drive {
    struct topo_carriage *carriage; /* scratch memory */
    MPI_Request *request;           /* one of each carriage */
    int in, out;
    const struct topo_channel *channel;
    size_t (*told)(const void *first_piece); /* the length of an incoming parcel; NULL: it fills its room */
};

/* Lists them, `at` and `length` still to be set; on the first rank of a node, after topo_shared_of(). Returns an MPI
 * error code; topo_drive_close() in any case. */
int topo_drive_open(struct topo_drive *drive, const struct topo_comm *comm, const struct topo_channel *channel);

/* Starts the receives of the first pieces. Returns an MPI error code. */
int topo_drive_receive(struct topo_drive *drive);

/* Sends and receives everything, as many pieces at once as there are parcels. Returns an MPI error code. */
int topo_drive_run(struct topo_drive *drive);

/* Waits for what is under way and frees. Returns an MPI error code: the first one, `code` being an earlier one. */
int topo_drive_close(struct topo_drive *drive, int code);

#endif
