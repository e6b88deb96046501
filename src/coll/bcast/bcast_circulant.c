/* Broadcast of many bytes between many nodes: blocks on a circulant graph (patterns/circulant.h), in which one rank of
 * each node, the root or the first one, receives a block and sends another one in every round, and gives what comes to
 * its node through shared memory.
 *
 * Rounds of long vectors keep together (topo_circulant_together()). Else a rank sends a block as soon as that block is
 * there, whatever else has come, and has receives under way for rounds ahead.
 *
 * Cost: with b blocks of s bytes and n nodes, (b - 1 + ceil(log2 n)) (alpha + s beta), plus two copies inside the node
 * beside them. */
#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "coll/bcast/segments.h"
#include "job/job.h"
#include "node/shm_fifo.h"
#include "patterns/circulant.h"

enum { AHEAD_MOST = TOPO_CIRCULANT_AHEAD_MOST, BEHIND_MOST = TOPO_CIRCULANT_BEHIND_MOST };

/* One call on this rank. */
struct run {
    struct topo_bcast_segments blocks;
    struct topo_circulant circulant;
    struct topo_circulant_pace pace;
    /* On the rank that drives: */
    MPI_Request receive[AHEAD_MOST], send[BEHIND_MOST];
    int64_t posted, arrived, given; /* rounds whose receives have begun, whose blocks have come, and are given on */
};

static void give(const struct run *run, int64_t block)
{
    topo_bcast_segments_give(&run->blocks, (size_t)block);
}

static void take(const struct run *run, int64_t block)
{
    topo_bcast_segments_take(&run->blocks, (size_t)block);
}

/* Begins the receives up to those of as many rounds as may be under way. */
static int post(struct run *run)
{
    int code = MPI_SUCCESS;
    for (; run->posted < run->circulant.rounds && run->posted < run->arrived + run->pace.ahead; run->posted++) {
        MPI_Request *request = &run->receive[run->posted % AHEAD_MOST];
        int from;
        int64_t block = topo_circulant_receives(&run->circulant, run->posted, &from);
        *request = MPI_REQUEST_NULL;
        if (block >= 0)
            code = topo_first_error(code, topo_irecv_typed(topo_bcast_segments_at(&run->blocks, (size_t)block),
                                                           topo_bcast_segments_bytes(&run->blocks, (size_t)block),
                                                           MPI_BYTE, topo_bcast_segments_driver(&run->blocks, from),
                                                           TOPO_TAG, run->blocks.call->channel, request));
    }
    return code;
}

/* Waits for the blocks of rounds before `until`. */
static int await(struct run *run, int64_t until)
{
    int code = post(run);
    for (; run->arrived < until; run->arrived++)
        code = topo_first_error(
            code, topo_first_error(post(run), PMPI_Wait(&run->receive[run->arrived % AHEAD_MOST], MPI_STATUS_IGNORE)));
    return topo_first_error(code, post(run));
}

/* Gives on what has come, in the order of the rounds. */
static void give_arrived(struct run *run)
{
    int from;
    for (; run->given < run->arrived; run->given++) {
        int64_t block = topo_circulant_receives(&run->circulant, run->given, &from);
        if (block >= 0)
            give(run, block);
    }
}

/* The round after the one that brought the block, which is sent in `round`. */
static int64_t round_after(const struct run *run, int64_t block, int64_t round)
{
    int from;
    do
        round--;
    while (round >= 0 && topo_circulant_receives(&run->circulant, round, &from) != block);
    return round + 1;
}

/* What this rank sends in a round, once it is there. */
static int send_in(struct run *run, int64_t round)
{
    int behind = run->pace.behind, to;
    int code = PMPI_Wait(&run->send[(round + BEHIND_MOST - behind) % BEHIND_MOST], MPI_STATUS_IGNORE);
    int64_t block = topo_circulant_sends(&run->circulant, round, &to), until = round - run->pace.lag;
    bool root = run->circulant.node == 0;
    if (block >= 0 && !root) {
        int64_t after = round_after(run, block, round);
        until = after > until ? after : until;
    }
    if (!root)
        code = topo_first_error(code, await(run, until));
    if (block < 0)
        return code;
    bool synchronous = behind < BEHIND_MOST || topo_circulant_awaited(&run->circulant, round, run->blocks.cut.segment);
    return topo_first_error(code, (synchronous ? topo_issend_typed : topo_isend_typed)(
                                      topo_bcast_segments_at(&run->blocks, (size_t)block),
                                      topo_bcast_segments_bytes(&run->blocks, (size_t)block), MPI_BYTE,
                                      topo_bcast_segments_driver(&run->blocks, to), TOPO_TAG, run->blocks.call->channel,
                                      &run->send[round % BEHIND_MOST]));
}

static int drive(struct run *run)
{
    bool root = run->circulant.node == 0;
    int code = MPI_SUCCESS;
    for (int i = 0; i < BEHIND_MOST; i++)
        run->send[i] = MPI_REQUEST_NULL;
    for (int64_t round = 0; round < run->circulant.rounds; round++) {
        code = topo_first_error(code, send_in(run, round));
        if (root && round < run->circulant.blocks)
            give(run, round);
        else if (!root)
            give_arrived(run);
    }
    if (!root)
        code = topo_first_error(code, await(run, run->circulant.rounds));
    give_arrived(run);
    /* A single node has no rounds. */
    for (int64_t block = run->circulant.rounds; root && block < run->circulant.blocks; block++)
        give(run, block);
    return topo_first_error(code, PMPI_Waitall(BEHIND_MOST, run->send, MPI_STATUSES_IGNORE));
}

/* All blocks on the other ranks of a node, as they come to the one that drives. */
static void follow(const struct run *run)
{
    int from;
    for (int64_t block = 0; run->circulant.node == 0 && block < run->circulant.blocks; block++)
        take(run, block);
    for (int64_t round = 0; run->circulant.node > 0 && round < run->circulant.rounds; round++) {
        int64_t block = topo_circulant_receives(&run->circulant, round, &from);
        if (block >= 0)
            take(run, block);
    }
}

int topo_bcast_circulant(const struct topo_bcast *call)
{
    struct topo_comm *comm = call->comm;
    const struct topo_node *node = topo_comm_node(comm);
    const struct topo_data *data = &call->data;
    if (!node)
        return MPI_ERR_NO_MEM;
    if (!topo_shm_fifo_open(comm->node, data->bytes < TOPO_SEGMENT_BYTES ? data->bytes : TOPO_SEGMENT_BYTES))
        return topo_comm_declines(comm) ? TOPO_NOT_NOW : topo_bcast_leader(call);
    int nodes = node->levels->nodes, code = MPI_SUCCESS;
    size_t segment =
        (size_t)topo_circulant_segment(data->bytes, nodes, topo_job.oversubscribed, comm->call.parameters.segment);
    struct run run = {.blocks = {call, node, topo_tree_node_of(comm->tree, call->root), data->base,
                                 topo_pipeline_cut(data->bytes, segment, 0, 1)},
                      .pace = topo_circulant_pace_of(data->bytes, topo_job.oversubscribed)};
    int number = topo_levels_number(node->levels, run.blocks.root_node, node->index),
        first = topo_tree_rank(comm->tree, node->levels->start[node->index]);
    char *scratch = data->contiguous ? NULL : topo_scratch_take(data->bytes);
    if (!data->contiguous && !scratch)
        return MPI_ERR_NO_MEM;
    topo_circulant_make(nodes, number, (int64_t)run.blocks.cut.segments, &run.circulant);
    if (scratch)
        run.blocks.data = scratch;
    if (scratch && comm->rank == call->root)
        code = topo_data_pack(data, 0, run.blocks.data, call->channel->comm);
    if (comm->rank == (number == 0 ? call->root : first))
        code = topo_first_error(code, drive(&run));
    else
        follow(&run);
    if (scratch && comm->rank != call->root)
        code = topo_first_error(code, topo_data_unpack(data, 0, run.blocks.data, call->channel->comm));
    topo_scratch_give(scratch);
    return code;
}
