/* Alltoall for short blocks: what the ranks of a node send to another node travels
 * as one aggregate. As all blocks have m bytes, everybody knows where each lies: the
 * aggregate for node d is an array [sender][receiver] of blocks in the buffer that the
 * node's ranks share (node/shm_buffer.h), to which every sender writes its own; it is sent
 * from there, and the others are received into the buffer. So there are no heads and
 * no copies but the two of the hand-over. The node's own ranks read each other's
 * blocks where they were written.
 *
 * Longer blocks, and nodes without shared memory: as alltoallv's form.
 *
 * Cost: alpha + (N - 1) o + the busiest link's bytes times beta, two hand-overs and
 * two copies of all bytes inside the node. */
#include "coll/alltoall/alltoall.h"

#include "coll/exchange/pairs.h"
#include "node/shm_buffer.h"
#include "patterns/limits.h"

enum {
    /* Longer blocks than this one must fit into so many bytes of a buffer. */
    MOST_DECENT = 256,
    BUFFER_BYTES = 4 << 20,
};

/* One call on this rank. */
struct run {
    const struct topo_alltoallv *call;
    const struct topo_node *node;
    struct topo_shm_buffer buffer;
    size_t m;       /* bytes of a block */
    char *out, *in; /* aggregates for, or from, every node; the own one's blocks are in `out` */
};

/* Bytes before the aggregate of a node. */
static size_t aggregate_at(const struct run *run, int node)
{
    return (size_t)run->node->ranks * (size_t)run->node->levels->start[node] * run->m;
}

static size_t aggregate_bytes(const struct run *run, int node)
{
    return aggregate_at(run, node + 1) - aggregate_at(run, node);
}

/* Of an aggregate the block from a sender for a receiver, counted in their nodes. */
static char *block_at(const struct run *run, char *aggregate, int receivers, int sender, int receiver)
{
    return aggregate + ((size_t)sender * (size_t)receivers + (size_t)receiver) * run->m;
}

/* This rank's blocks to, or from, all others. */
static int copy_blocks(const struct run *run, bool out)
{
    const struct topo_alltoallv *call = run->call;
    const struct topo_levels *levels = run->node->levels;
    int code = MPI_SUCCESS, me = run->node->local;
    for (int node = 0; node < levels->nodes; node++) {
        char *aggregate = (out || node == run->node->index ? run->out : run->in) + aggregate_at(run, node);
        int first = levels->start[node], count = topo_node_ranks(levels, node);
        for (int i = 0; i < count && code == MPI_SUCCESS; i++) {
            int rank = topo_tree_rank(call->comm->tree, first + i);
            if (rank == call->comm->rank)
                continue;
            code =
                out ? topo_buffer_desc_pack(&call->send, rank, block_at(run, aggregate, count, me, i),
                                            call->channel->comm)
                    : topo_buffer_desc_unpack(&call->receive, rank, block_at(run, aggregate, run->node->ranks, i, me),
                                              call->channel->comm);
        }
    }
    return code;
}

/* The node of an aggregate, which is a block of the exchange. */
static int node_of(const struct run *run, int64_t block)
{
    return (int)(block % run->node->levels->nodes);
}

/* What is sent waits until all blocks are written. */
static size_t length(void *of, int64_t block, size_t here)
{
    const struct run *run = of;
    (void)here;
    if (block >= run->node->levels->nodes)
        topo_shm_buffer_wait_arrived(&run->buffer);
    return aggregate_bytes(run, node_of(run, block));
}

static int bytes(void *of, int64_t block, size_t offset, size_t count, struct topo_elements *elements)
{
    const struct run *run = of;
    char *at = (block < run->node->levels->nodes ? run->in : run->out) + aggregate_at(run, node_of(run, block));
    *elements = (struct topo_elements){at + offset, (MPI_Count)count, MPI_BYTE};
    return MPI_SUCCESS;
}

/* All aggregates of the node. */
static int exchange(struct run *run)
{
    int code = topo_pairs_run_firsts(run->call, &(const struct topo_engine_pairs){length, bytes, run, 0});
    /* Whatever went wrong, the others must get on, when all blocks are there. */
    topo_shm_buffer_wait_arrived(&run->buffer);
    return code;
}

/* A buffer is large enough on every node: as if all had as many ranks as the largest. False, on all ranks alike: there
 * is none. */
static bool open_buffer(struct run *run)
{
    struct topo_comm *comm = run->call->comm;
    size_t stream = (size_t)comm->layout.node_ranks_max * (size_t)comm->ranks * run->m;
    int parts = run->node->levels->nodes - 1;
    size_t bytes = parts > 0 ? 2 * stream : stream;
    if ((parts > 0 && run->m > TOPO_AGGREGATED_MOST) || (run->m > MOST_DECENT && bytes > BUFFER_BYTES) ||
        !topo_shm_buffer_open(&run->buffer, comm->node, bytes, parts))
        return false;
    run->out = run->buffer.base;
    run->in = run->buffer.base + stream;
    return true;
}

int topo_alltoall_node_aware(const struct topo_alltoallv *call)
{
    struct run run = {.call = call, .node = topo_comm_node(call->comm), .m = topo_buffer_desc_bytes(&call->receive, 0)};
    int code, moved = MPI_SUCCESS;
    if (!run.node)
        return MPI_ERR_NO_MEM;
    if (!open_buffer(&run))
        return topo_alltoallv_node_aware(call);
    int parts = (int)run.buffer.parts;
    /* With blocks of other lengths nobody's place is right: the others read what is there. */
    code = topo_buffer_desc_bytes(&call->send, 0) == run.m ? copy_blocks(&run, true) : MPI_ERR_TRUNCATE;
    topo_shm_buffer_arrive(&run.buffer);
    if (code == MPI_SUCCESS)
        code = topo_pairs_copy_own(call);
    if (run.node->local == 0 && parts > 0) {
        moved = exchange(&run);
        topo_shm_buffer_add(&run.buffer, parts);
    }
    topo_shm_buffer_close(&run.buffer);
    if (code == MPI_SUCCESS)
        code = copy_blocks(&run, false);
    return code != MPI_SUCCESS ? code : moved;
}
