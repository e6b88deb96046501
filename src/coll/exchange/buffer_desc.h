/* What a rank sends, or receives, in an MPI_Alltoallv or MPI_Alltoall: one block for every rank. */
#ifndef TOPO_COLL_EXCHANGE_BUFFER_DESC_H
#define TOPO_COLL_EXCHANGE_BUFFER_DESC_H

#include <stddef.h>

#include <mpi.h>

#include "base/counts.h"
#include "coll/base/datatype.h"

struct topo_buffer_desc {
    struct topo_data one; /* one element at the base address */
    /* Elements of each rank, and where its block starts, in extents; none: `count` for every rank, one block after the
     * other. */
    struct topo_counts counts, places;
    MPI_Count count;
};

/* Describes a side, one with equal blocks. Return MPI error codes. */
int topo_buffer_desc_describe(const void *base, struct topo_counts counts, struct topo_counts places, MPI_Datatype type,
                              struct topo_buffer_desc *buffer);
int topo_buffer_desc_describe_equal(const void *base, MPI_Count count, MPI_Datatype type,
                                    struct topo_buffer_desc *buffer);

/* Elements of the block for or from `rank`. */
static inline MPI_Count topo_buffer_desc_count(const struct topo_buffer_desc *buffer, int rank)
{
    return buffer->counts.at ? topo_counts_of(buffer->counts, rank) : buffer->count;
}

/* Bytes of the block for or from `rank`, without gaps. */
static inline size_t topo_buffer_desc_bytes(const struct topo_buffer_desc *buffer, int rank)
{
    return (size_t)topo_buffer_desc_count(buffer, rank) * buffer->one.bytes;
}

static inline char *topo_buffer_desc_at(const struct topo_buffer_desc *buffer, int rank)
{
    MPI_Aint place =
        (MPI_Aint)(buffer->counts.at ? topo_counts_of(buffer->places, rank) : (MPI_Count)rank * buffer->count);
    return topo_data_moved(buffer->one.base, place * buffer->one.extent);
}

/* Copies a block into `packed` and the other way round. Above INT_MAX bytes for
 * contiguous types only. Return MPI error codes. */
int topo_buffer_desc_pack(const struct topo_buffer_desc *buffer, int rank, void *packed, MPI_Comm comm);
int topo_buffer_desc_unpack(const struct topo_buffer_desc *buffer, int rank, const void *packed, MPI_Comm comm);

/* All bytes of the side; those of its longest block. */
size_t topo_buffer_desc_total(const struct topo_buffer_desc *buffer, int ranks);
size_t topo_buffer_desc_longest(const struct topo_buffer_desc *buffer, int ranks);

#endif
