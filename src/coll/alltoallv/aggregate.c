#include "coll/alltoallv/aggregate.h"

#include <string.h>

#include "base/copy.h"

/* Blocks begin behind the numbers, which are followed by padding up to this. */
enum { ALIGN = 8 };

static size_t head(size_t numbers)
{
    return (sizeof(struct topo_known) + numbers * sizeof(uint32_t) + ALIGN - 1) / ALIGN * ALIGN;
}

size_t topo_row_room(int ranks, size_t most)
{
    return head((size_t)ranks) + (size_t)ranks * most;
}

size_t topo_aggregate_room(int senders, int receivers, size_t most)
{
    size_t blocks = (size_t)senders * (size_t)receivers;
    return head(blocks) + blocks * most;
}

int topo_row_write(const struct topo_alltoallv *call, size_t most, struct topo_row *row)
{
    const struct topo_comm *comm = call->comm;
    char *at = (char *)row + head((size_t)comm->ranks);
    int code = MPI_SUCCESS;
    row->known.total = topo_buffer_desc_total(&call->send, comm->ranks);
    for (int position = 0; position < comm->ranks && code == MPI_SUCCESS; position++) {
        int rank = topo_tree_rank(comm->tree, position);
        size_t bytes = topo_buffer_desc_bytes(&call->send, rank);
        row->bytes[position] = bytes > most || rank == comm->rank ? 0 : (uint32_t)bytes;
        if (row->bytes[position] == 0)
            continue;
        code = topo_buffer_desc_pack(&call->send, rank, at, call->channel->comm);
        at += bytes;
    }
    if (code != MPI_SUCCESS) /* others read the row all the same */
        memset(row->bytes, 0, (size_t)comm->ranks * sizeof *row->bytes);
    return code;
}

static size_t sum(const uint32_t *bytes, int count)
{
    size_t total = 0;
    for (int i = 0; i < count; i++)
        total += bytes[i];
    return total;
}

size_t topo_aggregate_make(struct topo_row *const *row, int rows, int ranks, int first, int count,
                           struct topo_aggregate *aggregate)
{
    size_t length = head((size_t)rows * (size_t)count);
    if (aggregate)
        aggregate->known.total = 0;
    for (int i = 0; i < rows; i++) {
        size_t bytes = sum(row[i]->bytes + first, count);
        if (aggregate) {
            const char *from = (const char *)row[i] + head((size_t)ranks) + sum(row[i]->bytes, first);
            aggregate->known.total += row[i]->known.total;
            memcpy(aggregate->bytes + (size_t)i * (size_t)count, row[i]->bytes + first,
                   (size_t)count * sizeof(uint32_t));
            topo_copy((char *)aggregate + length, from, bytes, false);
        }
        length += bytes;
    }
    if (aggregate)
        aggregate->known.length = length;
    return length;
}

/* Puts a block from the rank at a position into the receive buffer; none: nothing. */
static int place(const struct topo_alltoallv *call, int position, const char *block, size_t bytes)
{
    const int rank = topo_tree_rank(call->comm->tree, position);
    if (bytes == 0)
        return MPI_SUCCESS;
    if (bytes != topo_buffer_desc_bytes(&call->receive, rank))
        return MPI_ERR_TRUNCATE;
    return topo_buffer_desc_unpack(&call->receive, rank, block, call->channel->comm);
}

int topo_rows_take(const struct topo_alltoallv *call, struct topo_row *const *row, int rows, int first)
{
    const int to = call->comm->position;
    int code = MPI_SUCCESS;
    for (int i = 0; i < rows && code == MPI_SUCCESS; i++) {
        const char *block = (const char *)row[i] + head((size_t)call->comm->ranks) + sum(row[i]->bytes, to);
        code = place(call, first + i, block, row[i]->bytes[to]);
    }
    return code;
}

int topo_aggregate_take(const struct topo_alltoallv *call, const struct topo_aggregate *aggregate, int senders,
                        int receivers, int first, int to)
{
    const char *from = (const char *)aggregate + head((size_t)senders * (size_t)receivers);
    int code = MPI_SUCCESS;
    for (int i = 0; i < senders && code == MPI_SUCCESS; i++) {
        const uint32_t *bytes = aggregate->bytes + (size_t)i * (size_t)receivers;
        code = place(call, first + i, from + sum(bytes, to), bytes[to]);
        from += sum(bytes, receivers);
    }
    return code;
}
