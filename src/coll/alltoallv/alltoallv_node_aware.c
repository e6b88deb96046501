/* Alltoallv for short messages: what the ranks of a node send to another node
 * travels as one aggregate (aggregate.h). Blocks above a limit go straight from rank to
 * rank meanwhile; both ends of a pair know its bytes, so every count is right.
 *
 * Each rank writes its row into a buffer that the node's ranks share (node/shm_buffer.h).
 * The first one, the driver, makes the aggregates of all rows, sends them and receives
 * the others into the buffer (exchange/leader_exchange.h), and all copy out what is for them. Without
 * shared memory the driver collects the rows and gives out what is in them.
 *
 * Aggregated messages tell how much all ranks send, hence the next call's choice of algorithm
 * needs no further message (exchange/count_estimate.h).
 *
 * Cost: (N - 1) messages a node each way instead of p (P - p): alpha + (N - 1) o
 * + the busiest link's bytes times beta, two hand-overs and two copies of all
 * bytes inside the node. */
#include <string.h>

#include "coll/exchange/leader_exchange.h"
#include "coll/exchange/pairs.h"
#include "coll/alltoallv/aggregate.h"
#include "node/shm_buffer.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "patterns/limits.h"
#include "base/align.h"

enum {
    /* Longer blocks gain nothing by being put together: measured at 1 Gbit/s (docs/measurements/alltoall.md). */
    /* The least limit that is worth a region; without one, for this many ranks, the most a row may take. */
    MOST_LEAST = 64,
    /* Large communicators lower the limit to this before a buffer takes more than so many bytes: as many as 16 ranks
     * need with the highest limit on one node, or on two, where longer blocks by themselves took up to four times as
     * long. */
    MOST_DECENT = 256,
    BUFFER_BYTES = 10 << 20,
    ROW_BYTES = 4 << 20,
};

/* One call on this rank. */
struct run {
    const struct topo_alltoallv *call;
    struct topo_node *node;
    const struct topo_levels *levels;
    struct topo_shm_buffer buffer;     /* header NULL: without shared memory */
    size_t most;                       /* bytes of a block in an aggregate */
    struct topo_row **row;             /* [ranks of this node] */
    struct topo_aggregate **aggregate; /* [nodes] from each, own entry unused */
    struct topo_pairs pairs;           /* long blocks under way */
};

static int size_of(const struct run *run, int node)
{
    return topo_node_ranks(run->levels, node);
}

/* Where the row of a local rank lies in a buffer, and the aggregate of a node. */
static size_t row_at(const struct run *run, int local)
{
    return (size_t)local * topo_align(topo_row_room(run->call->comm->ranks, run->most), TOPO_CACHE_LINE);
}

static size_t aggregate_at(const struct run *run, int node)
{
    size_t at = row_at(run, run->node->ranks);
    for (int u = 0; u < node; u++)
        at += topo_align(topo_aggregate_room(size_of(run, u), run->node->ranks, run->most), TOPO_CACHE_LINE);
    return at;
}

/* A buffer is large enough on every node: as if all had as many ranks as the largest. */
static size_t buffer_bytes(const struct topo_comm *comm, size_t most)
{
    int largest = comm->layout.node_ranks_max;
    size_t rows = (size_t)largest * topo_align(topo_row_room(comm->ranks, most), TOPO_CACHE_LINE), aggregates = 0;
    for (int node = 0; node < comm->layout.nodes; node++)
        aggregates +=
            topo_align(topo_aggregate_room(topo_node_ranks(comm->node->levels, node), largest, most), TOPO_CACHE_LINE);
    return rows + aggregates;
}

/* Makes the outgoing aggregates, in *memory, to be given back. */
static int make_aggregates(const struct run *run, struct topo_leader_exchange *exchange, char **memory)
{
    struct topo_carriage *out = exchange->carriage + exchange->in;
    size_t bytes = 0;
    for (int pass = 0; pass < 2; pass++) {
        char *at = *memory;
        for (int i = 0; i < exchange->out; i++) {
            out[i].at = at;
            out[i].length =
                topo_aggregate_make(run->row, run->node->ranks, run->call->comm->ranks, run->levels->start[out[i].node],
                                    size_of(run, out[i].node), (struct topo_aggregate *)(void *)at);
            at = pass ? at + topo_align(out[i].length, TOPO_CACHE_LINE) : NULL;
            bytes += topo_align(out[i].length, TOPO_CACHE_LINE);
        }
        if (pass == 0 && bytes > 0 && !(*memory = topo_scratch_take(bytes)))
            return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

static size_t length_of(const void *aggregate)
{
    return ((const struct topo_aggregate *)aggregate)->known.length;
}

/* This rank's aggregates: receives, then, when all rows are there, sends. */
static int exchange(struct run *run)
{
    char *made = NULL;
    struct topo_leader_exchange exchange;
    int code = topo_leader_exchange_open(&exchange, run->call->comm, run->call->channel);
    exchange.length_of = length_of;
    for (int i = 0; i < exchange.in; i++) {
        struct topo_carriage *c = &exchange.carriage[i];
        c->at = (char *)run->aggregate[c->node];
        c->length = topo_aggregate_room(size_of(run, c->node), run->node->ranks, run->most);
    }
    if (code == MPI_SUCCESS)
        code = topo_leader_exchange_receive(&exchange);
    if (run->buffer.base)
        topo_shm_buffer_wait_arrived(&run->buffer);
    if (code == MPI_SUCCESS)
        code = make_aggregates(run, &exchange, &made);
    if (code == MPI_SUCCESS)
        code = topo_leader_exchange_run(&exchange);
    code = topo_leader_exchange_close(&exchange, code);
    topo_scratch_give(made);
    return code;
}

/* Puts a block into the receive buffer. */
static int place(void *context, int position, const char *block, size_t bytes)
{
    const struct run *run = context;
    int rank = topo_tree_rank(run->call->comm->tree, position);
    if (bytes != topo_buffer_desc_bytes(&run->call->receive, rank))
        return MPI_ERR_TRUNCATE;
    return topo_buffer_desc_unpack(&run->call->receive, rank, block, run->call->channel->comm);
}

/* All blocks for local rank `local`. */
static int visit(const struct run *run, int local, const struct topo_blocks *blocks)
{
    const struct topo_levels *levels = run->levels;
    int first = levels->start[run->node->index];
    int code = topo_rows_visit(run->row, run->node->ranks, run->call->comm->ranks, first, first + local, blocks);
    for (int node = 0; node < levels->nodes && code == MPI_SUCCESS; node++)
        if (node != run->node->index)
            code = topo_aggregate_visit(run->aggregate[node], size_of(run, node), run->node->ranks, levels->start[node],
                                        local, blocks);
    return code;
}

/* What all ranks were told of this call. */
static uint64_t total_of(const struct run *run)
{
    uint64_t total = 0;
    for (int i = 0; i < run->node->ranks; i++)
        total += run->row[i]->known.total;
    for (int node = 0; node < run->levels->nodes; node++)
        if (node != run->node->index)
            total += run->aggregate[node]->known.total;
    return total;
}

/* What MPI_Alltoall moves says nothing about the next MPI_Alltoallv. */
static void tell(const struct topo_alltoallv *call, uint64_t total)
{
    if (call->send.counts.at)
        topo_count_estimate_set_total(call->estimate, call->comm->ranks, total);
}

static int with_buffer(struct run *run)
{
    const struct topo_alltoallv *call = run->call;
    int local = run->node->local, parts = run->levels->nodes - 1, failed = MPI_SUCCESS;
    size_t length;
    int code = topo_row_write(call, run->most, run->row[local], &length);
    topo_shm_buffer_arrive(&run->buffer);
    if (local == 0 && parts > 0) {
        failed = exchange(run);
        /* Whatever went wrong here, the others must get on, when all rows are there. */
        topo_shm_buffer_wait_arrived(&run->buffer);
        topo_shm_buffer_add(&run->buffer, parts);
    }
    topo_shm_buffer_close(&run->buffer);
    code = code != MPI_SUCCESS ? code : failed;
    if (code == MPI_SUCCESS)
        code = visit(run, local, &(struct topo_blocks){place, run});
    if (code == MPI_SUCCESS)
        tell(call, total_of(run));
    return code;
}

/* -- Without shared memory -- */

/* Appends a block to what the first rank sends to a local one. */
struct delivery {
    struct topo_known known;
    char blocks[];
};

static int append(void *context, int position, const char *block, size_t bytes)
{
    char **at = context;
    (void)position;
    memcpy(*at, block, bytes);
    *at += bytes;
    return MPI_SUCCESS;
}

/* The blocks of a delivery, in tree order of the senders. */
static int unpack(const struct run *run, const struct delivery *delivery)
{
    const struct topo_alltoallv *call = run->call;
    const struct topo_comm *comm = call->comm;
    const char *at = delivery->blocks;
    int first = run->levels->start[run->node->index], last = first + run->node->ranks, code = MPI_SUCCESS;
    for (int i = 0; i < comm->ranks && code == MPI_SUCCESS; i++) {
        /* visit() takes the node's own ranks first. */
        int position = i < last - first ? first + i : i - (last - first) < first ? i - (last - first) : i;
        int rank = topo_tree_rank(comm->tree, position);
        size_t bytes = topo_buffer_desc_bytes(&call->receive, rank);
        if (rank == comm->rank || bytes > run->most || bytes == 0)
            continue;
        code = topo_buffer_desc_unpack(&call->receive, rank, at, call->channel->comm);
        at += bytes;
    }
    return code;
}

static int with_messages(struct run *run)
{
    const struct topo_alltoallv *call = run->call;
    const struct topo_node *node = run->node;
    size_t room = sizeof(struct delivery) + topo_row_room(call->comm->ranks, run->most), length;
    int code = topo_row_write(call, run->most, run->row[node->local], &length);
    struct delivery *delivery = topo_scratch_take(room);
    if (!delivery)
        code = MPI_ERR_NO_MEM;
    if (code == MPI_SUCCESS && node->local > 0) {
        code = topo_send(run->row[node->local], length, topo_node_member(node, 0), call->channel);
        if (code == MPI_SUCCESS)
            code = topo_recv(delivery, room, topo_node_member(node, 0), call->channel);
        if (code == MPI_SUCCESS)
            code = unpack(run, delivery);
    } else if (code == MPI_SUCCESS) {
        for (int i = 1; i < node->ranks && code == MPI_SUCCESS; i++)
            code = topo_recv(run->row[i], topo_row_room(call->comm->ranks, run->most), topo_node_member(node, i),
                             call->channel);
        if (code == MPI_SUCCESS)
            code = exchange(run);
        if (code == MPI_SUCCESS)
            delivery->known.total = total_of(run);
        for (int i = 1; i < node->ranks && code == MPI_SUCCESS; i++) {
            char *at = delivery->blocks;
            visit(run, i, &(struct topo_blocks){append, &at});
            code = topo_send(delivery, (size_t)(at - (char *)delivery), topo_node_member(node, i), call->channel);
        }
        if (code == MPI_SUCCESS)
            code = visit(run, 0, &(struct topo_blocks){place, run});
    }
    if (code == MPI_SUCCESS)
        tell(call, delivery->known.total);
    topo_scratch_give(delivery);
    return code;
}

/* The highest limit of a block for a buffer of a decent size. */
static size_t highest(const struct topo_comm *comm)
{
    size_t most = TOPO_AGGREGATED_MOST;
    while (most > MOST_DECENT && buffer_bytes(comm, most) > BUFFER_BYTES)
        most /= 2;
    return most;
}

/* Opens the buffer with the highest limit of a block that there is memory for; false: there is none. */
static bool open_buffer(struct run *run)
{
    struct topo_comm *comm = run->call->comm;
    size_t *most = &run->call->estimate->most;
    int parts = run->levels->nodes - 1;
    bool open = false;
    for (size_t next = *most ? *most : highest(comm); !open && next >= MOST_LEAST; next /= 2) {
        run->most = next;
        open = topo_shm_buffer_open(&run->buffer, comm->node, buffer_bytes(comm, next), parts);
    }
    if (!open) {                   /* a buffer of the least limit was refused, which is remembered there */
        topo_comm_lacks_shm(comm); /* found by all ranks alike: `auto` takes other forms from now on */
        for (run->most = TOPO_AGGREGATED_MOST;
             run->most > MOST_LEAST && topo_row_room(comm->ranks, run->most) > ROW_BYTES;)
            run->most /= 2;
    }
    *most = open ? run->most : 0;
    return open;
}

int topo_alltoallv_node_aware(const struct topo_alltoallv *call)
{
    struct run run = {.call = call, .node = topo_comm_node(call->comm)};
    char *base, *taken = NULL;
    int code = MPI_ERR_NO_MEM;
    if (!run.node)
        return code;
    run.levels = run.node->levels;
    if (open_buffer(&run))
        base = run.buffer.base;
    else
        base = taken = topo_scratch_take(run.node->local > 0 ? row_at(&run, run.node->ranks)
                                                             : aggregate_at(&run, run.levels->nodes));
    run.row = topo_scratch_take(((size_t)run.node->ranks + (size_t)run.levels->nodes) * sizeof(void *));
    if (!base || !run.row)
        goto out;
    run.aggregate = (struct topo_aggregate **)(void *)(run.row + run.node->ranks);
    for (int i = 0; i < run.node->ranks; i++)
        run.row[i] = (struct topo_row *)(void *)(base + row_at(&run, i));
    for (int node = 0; node < run.levels->nodes; node++)
        run.aggregate[node] = (struct topo_aggregate *)(void *)(base + aggregate_at(&run, node));
    code = topo_pairs_start(call, run.most, &run.pairs);
    int copied = topo_pairs_copy_own(call), passed = run.buffer.base ? with_buffer(&run) : with_messages(&run);
    int finished = topo_pairs_finish(&run.pairs);
    code = code != MPI_SUCCESS ? code : copied != MPI_SUCCESS ? copied : passed != MPI_SUCCESS ? passed : finished;
out:
    topo_scratch_give(run.row);
    topo_scratch_give(taken);
    return code;
}
