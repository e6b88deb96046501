/* Datatypes as the algorithms need them: their bytes, and whether these may be sent as they lie in memory. */
#ifndef TOPO_COLL_BASE_DATATYPE_H
#define TOPO_COLL_BASE_DATATYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "base/counts.h"

/* `count` elements of a type at an address. */
struct topo_data {
    void *base;
    MPI_Count count;
    MPI_Datatype type;
    MPI_Aint extent;
    size_t bytes;    /* of all elements, without gaps */
    bool contiguous; /* the bytes lie at `base` in the order of the type map */
    bool named;      /* a predefined type, as far as that was looked at: then it is contiguous */
};

/* True for MPI's own types, whose handles never come to mean others. */
bool topo_data_is_predefined(MPI_Datatype type);

/* *bytes = those of `count` elements, without gaps. Returns an MPI error code. */
int topo_data_bytes(MPI_Count count, MPI_Datatype type, size_t *bytes);

/* Describes `count` elements at `base`. Returns an MPI error code. */
int topo_data_describe(const void *base, MPI_Count count, MPI_Datatype type, struct topo_data *data);

/* False when the type was not committed: MPI has no question for that, so an empty
 * message is packed for `comm`, whose errors must return. The native call's to report. */
bool topo_data_committed(bool named, MPI_Datatype type, MPI_Comm comm);

/* MPI_Pack and MPI_Unpack of all elements at an address, which may be MPI_BOTTOM: MPICH's own refuse it. `bytes` are
 * those of `packed`. Return MPI error codes. */
int topo_pack(const void *from, int count, MPI_Datatype elements, void *packed, int bytes, MPI_Comm comm);
int topo_unpack(const void *packed, int bytes, void *to, int count, MPI_Datatype elements, MPI_Comm comm);

/* Copies the bytes of all elements, which start `blocks` whole counts (count ×
 * extent each) after base, into `packed`, and the other way round. Block sizes
 * above INT_MAX are for contiguous data only. Return MPI error codes. */
int topo_data_pack(const struct topo_data *data, size_t block, void *packed, MPI_Comm comm);
int topo_data_unpack(const struct topo_data *data, size_t block, const void *packed, MPI_Comm comm);

/* `offset` bytes on from an address that need not be in an object: MPI_BOTTOM, or scratch memory as the buffer of a
 * type that holds addresses. C leaves sums of such pointers undefined, so numbers are added. */
static inline char *topo_data_moved(const void *base, MPI_Aint offset)
{
    return (char *)((uintptr_t)base + (uintptr_t)offset);
}

/* Address of block `block`; contiguous data only when used as bytes. */
static inline char *topo_data_block(const struct topo_data *data, size_t block)
{
    return topo_data_moved(data->base, (MPI_Aint)block * (MPI_Aint)data->count * data->extent);
}

/* A rank's block of a buffer that has one for each. `counts` without an array: they are equal, of `all`'s count; else
 * `all` is one element, and `places` says where each begins, in extents. */
static inline struct topo_data topo_data_of_rank(const struct topo_data *all, struct topo_counts counts,
                                                 struct topo_counts places, int rank)
{
    struct topo_data block = *all;
    if (!counts.at) {
        block.base = topo_data_block(all, (size_t)rank);
        return block;
    }
    block.base = topo_data_moved(all->base, (MPI_Aint)topo_counts_of(places, rank) * all->extent);
    block.count = topo_counts_of(counts, rank);
    block.bytes = all->bytes * (size_t)block.count;
    return block;
}

/* What a count and a datatype can be without that the MPI library has an error for them. */
static inline bool topo_data_is_known(MPI_Count count, MPI_Datatype type)
{
    return count >= 0 && type != MPI_DATATYPE_NULL;
}

#endif
