/* Broadcast of medium length between many nodes (docs/REFERENCES.md, Node exchanges 5): the root scatters the vector in
 * blocks, one for each node, then all gather them, with the messages of a reduce-scatter and an allgather by halving
 * (patterns/halving.h): few steps, in which each node sends and receives about the vector once each. A rank of each
 * node, the root or the first one, sends and receives; its node gets the vector through shared memory.
 *
 * The scatter goes as the reduce-scatter, innermost level first, along the root's own operands alone: at each level the
 * nodes of the root's unit have what is scattered, and send it to the other units of their group. Whoever got blocks
 * for others sends them on at the levels outside. Then the allgather; who has all of a level's blocks from the scatter
 * gets none again. So nobody sends the root anything: it waits for no rank.
 *
 * Example: 4 nodes, radix 2, root 0; the blocks lie 0 2 1 3. Scatter: 0 sends 1 the blocks 1 3, then 2 the block 2, and
 * 1 sends 3 the block 3. Allgather, outermost level first: 0 sends 2 the block 0 and 1 sends 3 the block 1, but 2 and 3
 * send them nothing, as 0 had 2 and 1 had 3; then 0 sends 1 the blocks 0 2, and 2 and 3 exchange 0 2 and 1 3.
 *
 * Cost: with N nodes and levels of at most r parts 2 ceil(log_r N) (alpha + (r - 1) o) + 2m beta, o the processor's
 * time for a message, plus two copies inside the node. */
#include <string.h>

#include "base/align.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "coll/bcast/bcast.h"
#include "coll/reduction/block_sets.h"
#include "node/shm_fifo.h"

/* One call on this rank. */
struct run {
    const struct topo_bcast *call;
    const struct topo_node *node;
    const struct topo_levels *levels; /* the plan's */
    struct topo_block_sets sets;      /* of the data */
    int root_node;
    MPI_Request *request;
    int started;
};

/* The rank that sends and receives for a node. */
static int driver(const struct run *run, int node)
{
    return node == run->root_node ? run->call->root : topo_tree_rank(run->call->comm->tree, run->levels->start[node]);
}

static int start(struct run *run, bool send, char *place, size_t bytes, int node)
{
    const struct topo_channel *channel = run->call->channel;
    int peer = driver(run, node);
    if (bytes == 0)
        return MPI_SUCCESS;
    MPI_Request *request = &run->request[run->started++];
    *request = MPI_REQUEST_NULL;
    return send ? topo_isend(place, bytes, peer, channel, request) : topo_irecv(place, bytes, peer, channel, request);
}

/* Until all that was begun is over; memory for packed blocks is free then. */
static int finish(struct run *run, int code)
{
    int waited = PMPI_Waitall(run->started, run->request, MPI_STATUSES_IGNORE);
    run->started = 0;
    run->sets.packed_at = 0;
    return topo_first_error(code, waited);
}

static int send_set(struct run *run, const struct topo_block_set *set, char *place, int node)
{
    return start(run, true, place, topo_block_set_count(&run->sets, set), node);
}

static char *packed(struct run *run, const struct topo_block_set *set)
{
    char *place = topo_block_set_place(&run->sets, set);
    if (topo_block_set_is_packed(set))
        topo_block_set_pack(&run->sets, set, place, false);
    return place;
}

/* What this node keeps after this step. */
static int receive_kept(struct run *run, const struct topo_halving_step *step, int source)
{
    char *place = topo_block_set_place(&run->sets, &step->kept);
    int code = finish(run, start(run, false, place, topo_block_set_count(&run->sets, &step->kept), source));
    if (topo_block_set_is_packed(&step->kept))
        topo_block_set_pack(&run->sets, &step->kept, place, true);
    return code;
}

static int scatter(struct run *run)
{
    const struct topo_halving *plan = run->sets.plan;
    int node = run->node->index, code = MPI_SUCCESS;
    for (const struct topo_halving_step *step = plan->step; step < plan->step + plan->count; step++) {
        const struct topo_halving_message *message = &plan->message[step->message];
        int source = topo_halving_source(plan, step, run->levels, run->root_node, node);
        if (source >= 0)
            code = topo_first_error(code, receive_kept(run, step, source));
        if (!topo_halving_has_all(run->levels, step, run->root_node, node))
            continue;
        for (int i = 0; i < step->messages; i++)
            code =
                topo_first_error(code, send_set(run, &message[i].set, packed(run, &message[i].set), message[i].node));
    }
    return finish(run, code);
}

static int gather_step(struct run *run, const struct topo_halving_step *step)
{
    const struct topo_halving_message *message = &run->sets.plan->message[step->message];
    bool has_all = topo_halving_has_all(run->levels, step, run->root_node, run->node->index);
    int received = has_all ? 0 : step->messages, code = MPI_SUCCESS;
    for (int i = 0; i < received; i++)
        code = topo_first_error(code, start(run, false, topo_block_set_place(&run->sets, &message[i].set),
                                            topo_block_set_count(&run->sets, &message[i].set), message[i].node));
    char *kept = packed(run, &step->kept);
    for (int i = 0; i < step->units - 1; i++) {
        int child = run->sets.plan->child[step->child + i];
        if (!topo_halving_has_all(run->levels, step, run->root_node, child))
            code = topo_first_error(code, send_set(run, &step->kept, kept, child));
    }
    code = finish(run, code);
    for (int i = 0; i < received; i++)
        if (topo_block_set_is_packed(&message[i].set))
            topo_block_set_pack(&run->sets, &message[i].set, topo_block_set_place(&run->sets, &message[i].set), true);
    run->sets.packed_at = 0;
    return code;
}

static int drive(struct run *run)
{
    const struct topo_halving *plan = run->sets.plan;
    int code = scatter(run);
    for (int i = plan->count; i-- > 0;)
        code = topo_first_error(code, gather_step(run, &plan->step[i]));
    return code;
}

/* The data goes to the ranks of this node, whatever went wrong before: they must get on; or comes from the one that
 * drives. */
static void share(const struct run *run, bool gives)
{
    for (size_t at = 0; at < run->sets.count && run->node->ranks > 1; at += TOPO_SEGMENT_BYTES) {
        size_t left = run->sets.count - at, bytes = left < TOPO_SEGMENT_BYTES ? left : TOPO_SEGMENT_BYTES;
        struct topo_shm_fifo_slot slot = topo_shm_fifo_next(run->call->comm->node, bytes);
        if (gives) {
            topo_shm_fifo_claim(&slot);
            memcpy(slot.base, run->sets.vector + at, bytes);
            topo_shm_fifo_publish(&slot);
        } else {
            topo_shm_fifo_await(&slot);
            memcpy(run->sets.vector + at, slot.base, bytes);
        }
        topo_shm_fifo_release(&slot);
    }
}

int topo_bcast_halving(const struct topo_bcast *call)
{
    struct topo_comm *comm = call->comm;
    struct topo_node *node = topo_comm_node(comm);
    const struct topo_data *data = &call->data;
    const struct topo_halving *plan = node ? topo_node_halving(node) : NULL;
    if (!plan)
        return MPI_ERR_NO_MEM;
    if (!topo_shm_fifo_open(node, data->bytes < TOPO_SEGMENT_BYTES ? data->bytes : TOPO_SEGMENT_BYTES))
        return topo_comm_declines(comm) ? TOPO_NOT_NOW : topo_bcast_leader(call);
    struct run run = {.call = call,
                      .node = node,
                      .levels = topo_node_few_levels(node),
                      .sets = {.plan = plan, .vector = data->base, .count = data->bytes, .bytes = 1},
                      .root_node = topo_tree_node_of(comm->tree, call->root)};
    int code = MPI_SUCCESS;
    size_t room = topo_align(data->bytes, TOPO_CACHE_LINE);
    size_t requests = (size_t)(plan->messages + plan->children) * sizeof *run.request;
    bool drives = comm->rank == driver(&run, node->index);
    char *scratch = topo_scratch_take((drives ? room + requests : 0) + (data->contiguous ? 1 : room));
    if (!scratch)
        return MPI_ERR_NO_MEM;
    run.sets.packed = scratch;
    run.request = (MPI_Request *)(scratch + room);
    if (!data->contiguous)
        run.sets.vector = scratch + (drives ? room + requests : 0);
    if (!data->contiguous && comm->rank == call->root)
        code = topo_data_pack(data, 0, run.sets.vector, call->channel->comm);
    if (drives)
        code = topo_first_error(code, drive(&run));
    share(&run, drives);
    if (!data->contiguous && comm->rank != call->root)
        code = topo_first_error(code, topo_data_unpack(data, 0, run.sets.vector, call->channel->comm));
    topo_scratch_give(scratch);
    return code;
}
