#include "job/collect.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

enum { TAG = 2 };

/* A rank stands for itself and the ranks that follow it, as many as its lowest bit says. */
struct branch {
    int rank, ranks, span;
    MPI_Datatype record;
    char *records; /* [span] */
    bool taken;    /* `records` is ours */
};

static void find_branch(struct branch *branch, const struct topo_channel *channel)
{
    PMPI_Comm_rank(channel->user, &branch->rank);
    PMPI_Comm_size(channel->user, &branch->ranks);
    int low = branch->rank & -branch->rank, rest = branch->ranks - branch->rank;
    branch->span = branch->rank == 0 || rest < low ? rest : low;
}

/* Rank 0 uses `all`. Agrees on whether every rank has its memory. */
static int open_branch(void *all, size_t bytes, const struct topo_channel *channel, struct branch *branch)
{
    int code, ready, everywhere = 0;
    find_branch(branch, channel);
    branch->taken = branch->rank != 0;
    branch->records = branch->taken ? topo_alloc((size_t)branch->span, bytes) : all;
    branch->record = MPI_DATATYPE_NULL;
    code = PMPI_Type_contiguous((int)bytes, MPI_BYTE, &branch->record);
    if (code == MPI_SUCCESS)
        code = PMPI_Type_commit(&branch->record);
    ready = branch->records && code == MPI_SUCCESS;
    int agreed = PMPI_Allreduce(&ready, &everywhere, 1, MPI_INT, MPI_LAND, channel->user);
    return agreed != MPI_SUCCESS ? agreed : everywhere ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static void close_branch(struct branch *branch)
{
    if (branch->record != MPI_DATATYPE_NULL)
        PMPI_Type_free(&branch->record);
    if (branch->taken)
        topo_free(branch->records);
}

/* How many records the child `mask` ranks further stands for. */
static int span_of(const struct branch *branch, int mask)
{
    return branch->span - mask < mask ? branch->span - mask : mask;
}

static int parent_of(const struct branch *branch, const struct topo_channel *channel)
{
    return topo_channel_peer(channel, branch->rank - (branch->rank & -branch->rank));
}

int topo_collect(const void *own, void *all, size_t bytes, const struct topo_channel *channel)
{
    struct branch branch;
    int code = open_branch(all, bytes, channel, &branch), mask = 1;
    if (code == MPI_SUCCESS)
        memcpy(branch.records, own, bytes);
    for (; mask < branch.span && code == MPI_SUCCESS; mask *= 2)
        code = PMPI_Recv(branch.records + (size_t)mask * bytes, span_of(&branch, mask), branch.record,
                         topo_channel_peer(channel, branch.rank + mask), channel->tag + TAG, channel->comm,
                         MPI_STATUS_IGNORE);
    if (branch.rank > 0 && code == MPI_SUCCESS)
        code = PMPI_Send(branch.records, branch.span, branch.record, parent_of(&branch, channel), channel->tag + TAG,
                         channel->comm);
    close_branch(&branch);
    return code;
}

int topo_deal(const void *all, void *own, size_t bytes, const struct topo_channel *channel)
{
    struct branch branch;
    int code = open_branch((void *)(size_t)all, bytes, channel, &branch), mask = 1;
    if (branch.rank > 0 && code == MPI_SUCCESS)
        code = PMPI_Recv(branch.records, branch.span, branch.record, parent_of(&branch, channel), channel->tag + TAG,
                         channel->comm, MPI_STATUS_IGNORE);
    while (mask < branch.span)
        mask *= 2;
    for (mask /= 2; mask > 0 && code == MPI_SUCCESS; mask /= 2)
        code = PMPI_Send(branch.records + (size_t)mask * bytes, span_of(&branch, mask), branch.record,
                         topo_channel_peer(channel, branch.rank + mask), channel->tag + TAG, channel->comm);
    if (code == MPI_SUCCESS)
        memcpy(own, branch.records, bytes);
    close_branch(&branch);
    return code;
}

/* Bytes travel in parts. The first says how many there are, LACKING where memory was out for them. */
enum { PART = 1 << 16 };
#define LACKING UINT64_MAX

static struct first {
    uint64_t length;
    char bytes[PART];
} first;

/* How many of `length` bytes are in the part that begins at byte `at`. */
static int part_of(uint64_t length, uint64_t at)
{
    return length == LACKING || at >= length ? 0 : length - at < PART ? (int)(length - at) : PART;
}

static void send_bytes(const char *bytes, uint64_t length, int peer, const struct topo_channel *channel)
{
    int part = part_of(length, 0);
    first.length = length;
    if (part > 0)
        memcpy(first.bytes, bytes, (size_t)part);
    PMPI_Send(&first, (int)offsetof(struct first, bytes) + part, MPI_BYTE, peer, channel->tag + TAG, channel->comm);
    for (uint64_t at = PART; (part = part_of(length, at)) > 0; at += PART)
        PMPI_Send(bytes + at, part, MPI_BYTE, peer, channel->tag + TAG, channel->comm);
}

/* Behind the *length bytes at *bytes, which may become NULL: memory is out. */
static void receive_bytes(char **bytes, size_t *length, int peer, const struct topo_channel *channel)
{
    first.length = LACKING; /* should it fail */
    PMPI_Recv(&first, sizeof first, MPI_BYTE, peer, channel->tag + TAG, channel->comm, MPI_STATUS_IGNORE);
    const uint64_t more = first.length;
    int part = part_of(more, 0);
    char *grown = *bytes && more != LACKING ? topo_realloc(*bytes, *length + (size_t)more, 1) : NULL;
    if (grown)
        memcpy(grown + *length, first.bytes, (size_t)part);
    else
        topo_free(*bytes);
    for (uint64_t at = PART; (part = part_of(more, at)) > 0; at += PART)
        PMPI_Recv(grown ? grown + *length + at : first.bytes, part, MPI_BYTE, peer, channel->tag + TAG, channel->comm,
                  MPI_STATUS_IGNORE);
    *bytes = grown;
    *length += more == LACKING ? 0 : (size_t)more;
}

void topo_collect_all(char *own, size_t bytes, char **all, size_t *length, const struct topo_channel *channel)
{
    struct branch branch;
    find_branch(&branch, channel);
    *all = own;
    *length = bytes;
    for (int mask = 1; mask < branch.span; mask *= 2)
        receive_bytes(all, length, topo_channel_peer(channel, branch.rank + mask), channel);
    if (branch.rank > 0) {
        send_bytes(*all, *all ? *length : LACKING, parent_of(&branch, channel), channel);
        topo_free(*all);
        *all = NULL;
    }
}
