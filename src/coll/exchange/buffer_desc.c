#include "coll/exchange/buffer_desc.h"

int topo_buffer_desc_describe(const void *base, struct topo_counts counts, struct topo_counts places, MPI_Datatype type,
                              struct topo_buffer_desc *buffer)
{
    buffer->counts = counts;
    buffer->places = places;
    return topo_data_describe(base, 1, type, &buffer->one);
}

int topo_buffer_desc_describe_equal(const void *base, MPI_Count count, MPI_Datatype type,
                                    struct topo_buffer_desc *buffer)
{
    buffer->counts = buffer->places = (struct topo_counts){NULL, 0};
    buffer->count = count;
    return topo_data_describe(base, 1, type, &buffer->one);
}

/* The block as data of its own. */
static struct topo_data block(const struct topo_buffer_desc *buffer, int rank)
{
    struct topo_data data = buffer->one;
    data.base = topo_buffer_desc_at(buffer, rank);
    data.count = topo_buffer_desc_count(buffer, rank);
    data.bytes = topo_buffer_desc_bytes(buffer, rank);
    return data;
}

int topo_buffer_desc_pack(const struct topo_buffer_desc *buffer, int rank, void *packed, MPI_Comm comm)
{
    struct topo_data data = block(buffer, rank);
    return topo_data_pack(&data, 0, packed, comm);
}

int topo_buffer_desc_unpack(const struct topo_buffer_desc *buffer, int rank, const void *packed, MPI_Comm comm)
{
    struct topo_data data = block(buffer, rank);
    return topo_data_unpack(&data, 0, packed, comm);
}

size_t topo_buffer_desc_total(const struct topo_buffer_desc *buffer, int ranks)
{
    size_t elements = 0;
    if (!buffer->counts.at)
        return (size_t)ranks * (size_t)buffer->count * buffer->one.bytes;
    for (int rank = 0; rank < ranks; rank++)
        elements += (size_t)topo_counts_of(buffer->counts, rank);
    return elements * buffer->one.bytes;
}

size_t topo_buffer_desc_longest(const struct topo_buffer_desc *buffer, int ranks)
{
    MPI_Count longest = buffer->counts.at ? 0 : buffer->count;
    for (int rank = 0; rank < ranks && buffer->counts.at; rank++) {
        const MPI_Count count = topo_counts_of(buffer->counts, rank);
        longest = count > longest ? count : longest;
    }
    return (size_t)longest * buffer->one.bytes;
}
