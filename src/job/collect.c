#include "job/collect.h"

#include <stdbool.h>
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

/* Rank 0 uses `all`. Agrees on whether every rank has its memory. */
static int open_branch(void *all, size_t bytes, const struct topo_channel *channel, struct branch *branch)
{
    int code, ready, everywhere = 0;
    PMPI_Comm_rank(channel->user, &branch->rank);
    PMPI_Comm_size(channel->user, &branch->ranks);
    int low = branch->rank & -branch->rank, rest = branch->ranks - branch->rank;
    branch->span = branch->rank == 0 || rest < low ? rest : low;
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
