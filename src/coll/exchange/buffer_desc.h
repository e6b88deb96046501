/* What a rank sends, or receives, in an MPI_Alltoallv or MPI_Alltoall: one block for every rank. */
#ifndef TOPO_COLL_EXCHANGE_BUFFER_DESC_H
#define TOPO_COLL_EXCHANGE_BUFFER_DESC_H

#include <stddef.h>

#include <mpi.h>

#include "coll/datatype.h"

struct topo_side {
    struct topo_data one; /* one element at the base address */
    const int *counts;    /* [ranks] elements; NULL: `count` for every rank, one block after the other */
    const int *places;    /* [ranks] where a block starts, in extents */
    int count;
};

/* Describes a side, one with equal blocks. Return MPI error codes. */
int topo_side_describe(const void *base, const int *counts, const int *places, MPI_Datatype type,
                       struct topo_side *side);
int topo_side_describe_equal(const void *base, int count, MPI_Datatype type, struct topo_side *side);

/* Elements of the block for or from `rank`. */
static inline int topo_side_count(const struct topo_side *side, int rank)
{
    return side->counts ? side->counts[rank] : side->count;
}

/* Bytes of the block for or from `rank`, without gaps. */
static inline size_t topo_side_bytes(const struct topo_side *side, int rank)
{
    return (size_t)topo_side_count(side, rank) * side->one.bytes;
}

static inline char *topo_side_at(const struct topo_side *side, int rank)
{
    MPI_Aint place = side->counts ? side->places[rank] : (MPI_Aint)rank * side->count;
    return topo_data_moved(side->one.base, place * side->one.extent);
}

/* Copies a block into `packed` and the other way round. Above INT_MAX bytes for
 * contiguous types only. Return MPI error codes. */
int topo_side_pack(const struct topo_side *side, int rank, void *packed, MPI_Comm comm);
int topo_side_unpack(const struct topo_side *side, int rank, const void *packed, MPI_Comm comm);

/* All bytes of the side. */
size_t topo_side_total(const struct topo_side *side, int ranks);

#endif
