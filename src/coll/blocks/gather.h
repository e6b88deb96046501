/* Blocks of all ranks to all ranks: one call as the engines of MPI_Allgather and MPI_Allgatherv see it. */
#ifndef TOPO_COLL_BLOCKS_GATHER_H
#define TOPO_COLL_BLOCKS_GATHER_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "base/counts.h"
#include "coll/base/datatype.h"
#include "comm/comm.h"

/* n blocks of m bytes, own one in, all out in rank order. MPI_Allgatherv: blocks of any lengths, to any places. */
struct topo_allgather {
    struct topo_comm *comm; /* n = comm->ranks */
    const struct topo_channel *channel;
    size_t m;                 /* bytes of a block */
    const char *own;          /* this rank's block, contiguous; may lie in the receive buffer */
    struct topo_data receive; /* the receive buffer; one block = all `count` elements; allgatherv: one element */
    char *whole;              /* where all blocks lie one after the other in rank order; NULL: they do not */
    /* Of allgatherv, else none. */
    const size_t *starts;              /* [n + 1] bytes of the blocks before each one, in tree order */
    struct topo_counts counts, places; /* elements of each block, and where it begins, in extents */
};

/* The receive buffer's block `rank`, as data of block 0. */
struct topo_data topo_allgather_block(const struct topo_allgather *call, int rank);

/* Bytes of the blocks before a position in tree order; of all blocks for position n. */
static inline size_t topo_allgather_before(const struct topo_allgather *call, int position)
{
    return call->starts ? call->starts[position] : (size_t)position * call->m;
}

/* Bytes of the longest block: equal on all ranks. */
size_t topo_allgather_longest(const struct topo_allgather *call);

/* Runs the form `id` of either operation with the own block contiguous, packed where it is not. Returns an MPI error
 * code. */
int topo_gather_all(struct topo_allgather *call, enum topo_algorithm_id id, const void *send, MPI_Count send_count,
                    MPI_Datatype send_type);

/* Puts block `rank`, contiguous at `bytes`, into the receive buffer (a block that
 * lies there already is left alone). Returns an MPI error code. */
int topo_allgather_place(const struct topo_allgather *call, int rank, const char *bytes);

/* The forms, which may fail only as MPI calls fail; restrictions were checked before: by all ranks of each node in
 * pipelined segments; by plans (plan/gather.h) between nodes, and between all ranks, of which the ring alone takes
 * blocks of any lengths. */
int topo_gather_lanes(const struct topo_allgather *call);
int topo_gather_by_node(const struct topo_allgather *call, enum topo_algorithm_id id);
int topo_gather_by_rank(const struct topo_allgather *call, enum topo_algorithm_id id);

#endif
