#include "coll/exchange/buffer_desc.h"

int topo_side_describe(const void *base, const int *counts, const int *places, MPI_Datatype type,
                       struct topo_side *side)
{
    side->counts = counts;
    side->places = places;
    return topo_data_describe(base, 1, type, &side->one);
}

int topo_side_describe_equal(const void *base, int count, MPI_Datatype type, struct topo_side *side)
{
    side->counts = side->places = NULL;
    side->count = count;
    return topo_data_describe(base, 1, type, &side->one);
}

/* The block as data of its own. */
static struct topo_data block(const struct topo_side *side, int rank)
{
    struct topo_data data = side->one;
    data.base = topo_side_at(side, rank);
    data.count = topo_side_count(side, rank);
    data.bytes = topo_side_bytes(side, rank);
    return data;
}

int topo_side_pack(const struct topo_side *side, int rank, void *packed, MPI_Comm comm)
{
    struct topo_data data = block(side, rank);
    return topo_data_pack(&data, 0, packed, comm);
}

int topo_side_unpack(const struct topo_side *side, int rank, const void *packed, MPI_Comm comm)
{
    struct topo_data data = block(side, rank);
    return topo_data_unpack(&data, 0, packed, comm);
}

size_t topo_side_total(const struct topo_side *side, int ranks)
{
    size_t elements = 0;
    if (!side->counts)
        return (size_t)ranks * (size_t)side->count * side->one.bytes;
    for (int rank = 0; rank < ranks; rank++)
        elements += (size_t)side->counts[rank];
    return elements * side->one.bytes;
}
