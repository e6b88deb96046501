/* MPI_Allgather: one call as the algorithms see it, and the table of algorithms. */
#ifndef TOPO_COLL_ALLGATHER_ALLGATHER_H
#define TOPO_COLL_ALLGATHER_ALLGATHER_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "coll/datatype.h"
#include "comm/comm.h"
#include "catalog/algorithm.h"

/* n blocks of m bytes, own one in, all out in rank order. MPI_Allgatherv: blocks of any lengths, to any places. */
struct topo_allgather {
    struct topo_comm *comm; /* n = comm->ranks */
    const struct topo_channel *channel;
    size_t m;                 /* bytes of a block */
    const char *own;          /* this rank's block, contiguous; may lie in the receive buffer */
    struct topo_data receive; /* the receive buffer; one block = all `count` elements; allgatherv: one element */
    char *whole;              /* where all blocks lie one after the other in rank order; NULL: they do not */
    /* Of allgatherv, else NULL. */
    const size_t *starts;       /* [n + 1] bytes of the blocks before each one, in tree order */
    const int *counts, *places; /* [n] elements of each block, and where it begins, in extents */
};

/* MPI_Allgather with the algorithm that the options or the selector name;
 * `forced` (may be NULL) overrides both. Errors are raised on `comm`. */
int topo_allgather(const struct topo_algorithm *forced, const void *send, int send_count, MPI_Datatype send_type,
                   void *receive, int receive_count, MPI_Datatype receive_type, MPI_Comm comm);

/* The receive buffer's block `rank`, as data of block 0. */
struct topo_data topo_allgather_block(const struct topo_allgather *call, int rank);

/* Bytes of the blocks before a position in tree order; of all blocks for position n. */
static inline size_t topo_allgather_before(const struct topo_allgather *call, int position)
{
    return call->starts ? call->starts[position] : (size_t)position * call->m;
}

/* Bytes of the longest block: equal on all ranks. */
size_t topo_allgather_longest(const struct topo_allgather *call);

/* Runs `function`, one of ours, with the own block contiguous, packed where it is not. Returns an MPI error code. */
typedef int topo_allgather_function(const struct topo_allgather *call);
int topo_allgather_run(topo_allgather_function *function, struct topo_allgather *call, const void *send, int send_count,
                       MPI_Datatype send_type);

/* Puts block `rank`, contiguous at `bytes`, into the receive buffer (a block that
 * lies there already is left alone). Returns an MPI error code. */
int topo_allgather_place(const struct topo_allgather *call, int rank, const char *bytes);

/* The algorithms: each returns an MPI error code and may fail only as MPI calls
 * fail; restrictions were checked before. */
#define ALLGATHER(name, ...) int topo_allgather_##name(const struct topo_allgather *call);
#include "catalog/algorithms.def"

#endif
