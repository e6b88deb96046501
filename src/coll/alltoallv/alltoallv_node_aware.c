/* Alltoallv for short messages: what the ranks of a node send to another node
 * travels as one aggregate (aggregate.h). Blocks above a limit go straight from rank to
 * rank meanwhile; both ends of a pair know its bytes, so every count is right.
 *
 * Each rank writes its row into a buffer that the node's ranks share (node/shm_buffer.h).
 * The first one, the driver, makes the aggregates of all rows, sends them and receives
 * the others into the buffer (plan/exchange.h), and all copy out what is for them. Without
 * shared memory every message goes by itself, as in direct.
 *
 * Aggregated messages tell how much all ranks send, hence the next call's choice of algorithm
 * needs no further message (exchange/count_estimate.h).
 *
 * Cost: (N - 1) messages a node each way instead of p (P - p): alpha + (N - 1) o
 * + the busiest link's bytes times beta, two hand-overs and two copies of all
 * bytes inside the node. */
#include <string.h>

#include "coll/exchange/pairs.h"
#include "coll/alltoallv/aggregate.h"
#include "node/shm_buffer.h"
#include "coll/base/scratch.h"
#include "patterns/limits.h"
#include "base/align.h"

enum {
    /* Longer blocks gain nothing by being put together: measured at 1 Gbit/s (docs/measurements/alltoall.md). */
    /* The least limit that is worth a region. */
    MOST_LEAST = 64,
    /* Large communicators lower the limit to this before a buffer takes more than so many bytes: as many as 16 ranks
     * need with the highest limit on one node, or on two, where longer blocks go slowly by themselves. */
    MOST_DECENT = 256,
    BUFFER_BYTES = 10 << 20,
};

/* One call on this rank. */
struct run {
    const struct topo_alltoallv *call;
    struct topo_node *node;
    const struct topo_levels *levels;
    struct topo_shm_buffer buffer;
    size_t most;                       /* bytes of a block in an aggregate */
    struct topo_row **row;             /* [ranks of this node] */
    struct topo_aggregate **aggregate; /* [nodes] from each, own entry unused */
    struct topo_aggregate **out;       /* [nodes] for each, own entry unused, made when first asked for */
    int made;                          /* MPI error code */
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

/* Makes the outgoing aggregates, when all rows are there. */
static int make_aggregates(struct run *run)
{
    const int nodes = run->levels->nodes;
    const size_t list = topo_align((size_t)nodes * sizeof *run->out, TOPO_CACHE_LINE);
    size_t bytes = list;
    for (int made = 0; made < 2; made++) {
        char *at = (char *)run->out + list;
        for (int node = 0; node < nodes; node++) {
            if (node == run->node->index)
                continue;
            struct topo_aggregate *aggregate = made ? (struct topo_aggregate *)(void *)at : NULL;
            size_t length = topo_aggregate_make(run->row, run->node->ranks, run->call->comm->ranks,
                                                run->levels->start[node], size_of(run, node), aggregate);
            bytes += topo_align(length, TOPO_CACHE_LINE);
            if (made)
                run->out[node] = aggregate;
            at += made ? topo_align(length, TOPO_CACHE_LINE) : 0;
        }
        if (!made && !(run->out = topo_scratch_take(bytes)))
            return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

/* An aggregate is a block of the exchange between nodes. How long an incoming one is it says itself. */
static size_t length(void *of, int64_t block, size_t here)
{
    struct run *run = of;
    const int nodes = run->levels->nodes, node = (int)(block % nodes);
    if (block < nodes)
        return here > 0 ? run->aggregate[node]->known.length
                        : topo_aggregate_room(size_of(run, node), run->node->ranks, run->most);
    if (!run->out && run->made == MPI_SUCCESS) {
        topo_shm_buffer_wait_arrived(&run->buffer);
        run->made = make_aggregates(run);
    }
    return run->out ? run->out[node]->known.length : 0;
}

static int bytes(void *of, int64_t block, size_t offset, size_t count, struct topo_elements *elements)
{
    const struct run *run = of;
    const int nodes = run->levels->nodes, node = (int)(block % nodes);
    char *at = (char *)(block < nodes ? run->aggregate : run->out)[node];
    *elements = (struct topo_elements){at + offset, (MPI_Count)count, MPI_BYTE};
    return MPI_SUCCESS;
}

/* The aggregates of this node. */
static int exchange(struct run *run)
{
    int code = topo_pairs_run_firsts(run->call, &(const struct topo_engine_pairs){length, bytes, run, 0});
    topo_scratch_give(run->out);
    return topo_first_error(run->made, code);
}

/* Puts all blocks for this rank into the receive buffer. */
static int take(const struct run *run)
{
    const struct topo_levels *levels = run->levels;
    int code = topo_rows_take(run->call, run->row, run->node->ranks, levels->start[run->node->index]);
    for (int node = 0; node < levels->nodes && code == MPI_SUCCESS; node++)
        if (node != run->node->index)
            code = topo_aggregate_take(run->call, run->aggregate[node], size_of(run, node), run->node->ranks,
                                       levels->start[node], run->node->local);
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

static int run_short(struct run *run)
{
    const struct topo_alltoallv *call = run->call;
    int local = run->node->local, parts = run->levels->nodes - 1, failed = MPI_SUCCESS;
    int code = topo_row_write(call, run->most, run->row[local]);
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
        code = take(run);
    /* What MPI_Alltoall moves says nothing about the next MPI_Alltoallv. */
    if (code == MPI_SUCCESS && call->send.counts.at)
        topo_count_estimate_set_total(call->estimate, call->comm->ranks, total_of(run));
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
    if (!open)                     /* a buffer of the least limit was refused, which is remembered there */
        topo_comm_lacks_shm(comm); /* found by all ranks alike: `auto` takes other forms from now on */
    *most = open ? run->most : 0;
    return open;
}

int topo_alltoallv_node_aware(const struct topo_alltoallv *call)
{
    struct run run = {.call = call, .node = topo_comm_node(call->comm)};
    struct topo_pairs pairs;
    if (!run.node)
        return MPI_ERR_NO_MEM;
    run.levels = run.node->levels;
    if (!open_buffer(&run))
        return topo_alltoallv_direct(call);
    run.row = topo_scratch_take(((size_t)run.node->ranks + (size_t)run.levels->nodes) * sizeof(void *));
    if (!run.row)
        return MPI_ERR_NO_MEM;
    run.aggregate = (struct topo_aggregate **)(void *)(run.row + run.node->ranks);
    for (int i = 0; i < run.node->ranks; i++)
        run.row[i] = (struct topo_row *)(void *)(run.buffer.base + row_at(&run, i));
    for (int node = 0; node < run.levels->nodes; node++)
        run.aggregate[node] = (struct topo_aggregate *)(void *)(run.buffer.base + aggregate_at(&run, node));
    int code = topo_pairs_begin(call, topo_pairs_plan(call, topo_plan_exchange), run.most, &pairs);
    code = topo_first_error(code, topo_pairs_copy_own(call));
    code = topo_first_error(code, run_short(&run));
    code = topo_pairs_end(&pairs, code);
    topo_scratch_give(run.row);
    return code;
}
