#include "job/collect.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "job/channel_calls.h"

/* A rank stands for itself and the ranks that follow it, as many as its lowest bit says. */
struct branch {
    int rank, ranks, span;
    MPI_Datatype record;
    char *records; /* [span] */
    bool taken;    /* `records` is ours */
};

static void find_branch(struct branch *branch, const struct topo_channel *channel)
{
    branch->rank = channel->rank;
    branch->ranks = channel->ranks;
    int low = branch->rank & -branch->rank, rest = branch->ranks - branch->rank;
    branch->span = branch->rank == 0 || rest < low ? rest : low;
}

/* Rank 0 uses `all`. Agrees on whether every rank has its memory. */
static int open_branch(void *all, size_t bytes, const struct topo_channel *channel, struct branch *branch)
{
    int code;
    find_branch(branch, channel);
    branch->taken = branch->rank != 0;
    branch->records = branch->taken ? topo_alloc((size_t)branch->span, bytes) : all;
    branch->record = MPI_DATATYPE_NULL;
    code = PMPI_Type_contiguous((int)bytes, MPI_BYTE, &branch->record);
    if (code == MPI_SUCCESS)
        code = PMPI_Type_commit(&branch->record);
    return topo_channel_all(branch->records && code == MPI_SUCCESS, channel) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
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
                         topo_channel_peer(channel, branch.rank + mask), channel->tag + TOPO_TAG_GATHER, channel->comm,
                         MPI_STATUS_IGNORE);
    if (branch.rank > 0 && code == MPI_SUCCESS)
        code = PMPI_Send(branch.records, branch.span, branch.record, parent_of(&branch, channel),
                         channel->tag + TOPO_TAG_GATHER, channel->comm);
    close_branch(&branch);
    return code;
}

int topo_deal(const void *all, void *own, size_t bytes, const struct topo_channel *channel)
{
    struct branch branch;
    int code = open_branch((void *)(size_t)all, bytes, channel, &branch), mask = 1;
    if (branch.rank > 0 && code == MPI_SUCCESS)
        code = PMPI_Recv(branch.records, branch.span, branch.record, parent_of(&branch, channel),
                         channel->tag + TOPO_TAG_GATHER, channel->comm, MPI_STATUS_IGNORE);
    while (mask < branch.span)
        mask *= 2;
    for (mask /= 2; mask > 0 && code == MPI_SUCCESS; mask /= 2)
        code = PMPI_Send(branch.records + (size_t)mask * bytes, span_of(&branch, mask), branch.record,
                         topo_channel_peer(channel, branch.rank + mask), channel->tag + TOPO_TAG_GATHER, channel->comm);
    if (code == MPI_SUCCESS)
        memcpy(own, branch.records, bytes);
    close_branch(&branch);
    return code;
}

/* Bytes travel in parts from where they lie. The last part is shorter than PART, and may be empty; an empty part alone
 * says that memory was out for them, as every rank has some. */
enum { PART = 1 << 16 };

static void send_bytes(const char *bytes, size_t length, int peer, const struct topo_channel *channel)
{
    int part;
    do {
        part = length < PART ? (int)length : PART;
        PMPI_Send(bytes, part, MPI_BYTE, peer, channel->tag + TOPO_TAG_GATHER, channel->comm);
        bytes += part;
        length -= (size_t)part;
    } while (part == PART);
}

/* A part to `to`, where there is room for PART bytes; NULL: memory is out for it. How long it is; 0 also when MPI
 * fails. Nothing long is on the stack: a thread that calls MPI_Init may have little more than that natively takes. */
static int receive_part(char *to, int peer, const struct topo_channel *channel)
{
    static char in_vain[PART]; /* nobody reads it */
    MPI_Status status;
    int part;
    if (PMPI_Recv(to ? to : in_vain, PART, MPI_BYTE, peer, channel->tag + TOPO_TAG_GATHER, channel->comm, &status) !=
            MPI_SUCCESS ||
        PMPI_Get_count(&status, MPI_BYTE, &part) != MPI_SUCCESS)
        return 0;
    return part;
}

/* Behind the *length bytes at *bytes, which may become NULL: memory is out. */
static void receive_bytes(char **bytes, size_t *length, int peer, const struct topo_channel *channel)
{
    int part = PART;
    for (bool first = true; part == PART; first = false) {
        char *grown = *bytes ? topo_realloc(*bytes, *length + PART, 1) : NULL;
        part = receive_part(grown ? grown + *length : NULL, peer, channel);
        if (!grown || (first && part == 0)) {
            topo_free(grown ? grown : *bytes);
            *bytes = NULL;
        } else {
            *bytes = grown;
            *length += (size_t)part;
        }
    }
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
        send_bytes(*all ? *all : "", *all ? *length : 0, parent_of(&branch, channel), channel);
        topo_free(*all);
        *all = NULL;
    }
}
