/* What a rank sends, or receives, in an MPI_Alltoallv: one block for every rank. */
#ifndef TOPO_COLL_ALLTOALLV_SIDE_H
#define TOPO_COLL_ALLTOALLV_SIDE_H

#include <stddef.h>

#include <mpi.h>

#include "coll/datatype.h"

struct topo_side {
    struct topo_data one; /* one element at the base address */
    const int *counts;    /* [ranks] elements */
    const int *places;    /* [ranks] where a block starts, in extents */
};

/* Describes a side. Returns an MPI error code. */
int topo_side_describe(const void *base, const int *counts, const int *places, MPI_Datatype type,
                       struct topo_side *side);

/* Bytes of the block for or from `rank`, without gaps. */
static inline size_t topo_side_bytes(const struct topo_side *side, int rank)
{
    return (size_t)side->counts[rank] * side->one.bytes;
}

static inline char *topo_side_at(const struct topo_side *side, int rank)
{
    return (char *)side->one.base + side->places[rank] * side->one.extent;
}

/* Copies a block into `packed` and the other way round. Above INT_MAX bytes for
 * contiguous types only. Return MPI error codes. */
int topo_side_pack(const struct topo_side *side, int rank, void *packed, MPI_Comm comm);
int topo_side_unpack(const struct topo_side *side, int rank, const void *packed, MPI_Comm comm);

/* All bytes of the side. */
size_t topo_side_total(const struct topo_side *side, int ranks);

#endif
