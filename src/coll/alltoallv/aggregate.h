/* The layout of the messages of the node-aware alltoallv. Blocks of more than `most`
 * bytes are sent by themselves, and a rank's block for itself is copied.
 *
 * A row is what one rank sends: its header, then the blocks in tree order, without
 * gaps. An aggregate is what the ranks of one node send to those of another: its
 * header, the bytes of every block, sender by sender, then the blocks in the same
 * order. As a node's ranks are neighbours in tree order, an aggregate is made of one
 * run of each row. */
#ifndef TOPO_COLL_ALLTOALLV_AGGREGATE_H
#define TOPO_COLL_ALLTOALLV_AGGREGATE_H

#include <stdint.h>

#include "coll/alltoallv/alltoallv.h"

/* What is told on the way, of a rank or of all ranks of a node together. */
struct topo_known {
    uint64_t total;  /* all bytes sent, long blocks too */
    uint64_t length; /* of this aggregate */
};

struct topo_row {
    struct topo_known known;
    uint32_t bytes[]; /* [ranks] by position */
};

struct topo_aggregate {
    struct topo_known known;
    uint32_t bytes[]; /* [senders * receivers] */
};

/* Most bytes of a row and of an aggregate. */
size_t topo_row_room(int ranks, size_t most);
size_t topo_aggregate_room(int senders, int receivers, size_t most);

/* Writes this rank's row. Returns an MPI error code. */
int topo_row_write(const struct topo_alltoallv *call, size_t most, struct topo_row *row);

/* Makes the aggregate of row[rows] for the positions first .. first + count - 1;
 * returns its length. With aggregate NULL nothing is written. */
size_t topo_aggregate_make(struct topo_row *const *row, int rows, int ranks, int first, int count,
                           struct topo_aggregate *aggregate);

/* Put the blocks for this rank into its receive buffer: those of row[rows], whose first sender has position `first`;
 * those of an aggregate of `senders` from position `first` on, for the to-th of its `receivers`. Return MPI error
 * codes. */
int topo_rows_take(const struct topo_alltoallv *call, struct topo_row *const *row, int rows, int first);
int topo_aggregate_take(const struct topo_alltoallv *call, const struct topo_aggregate *aggregate, int senders,
                        int receivers, int first, int to);

#endif
