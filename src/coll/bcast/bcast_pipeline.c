#include "coll/bcast/bcast_pipeline.h"

#include <string.h>

#include "coll/base/scratch.h"
#include "node/shm_fifo.h"
#include "coll/base/transport.h"

/* Every so many segments the receivers are waited for, one window later: MPI would keep all segments otherwise. The
 * slot of a window's last segment is held until then, so that a window and the segments expected have slots enough. */
enum { WINDOW = 8 };
_Static_assert(WINDOW + TOPO_PIPELINE_AHEAD_MOST <= TOPO_SHM_FIFO_SLOTS, "a slot that is held is not expected anew");

/* One call on this rank. */
struct run {
    const struct topo_bcast *call;
    const struct topo_node *node;
    const struct topo_pipeline *cut;
    char *data; /* all bytes one after the other: the user's, or scratch */
    bool root, drives;
    int from, targets; /* of a rank that drives */
    int *to;           /* ranks */
    MPI_Request *sends, *window;
};

/* A segment on a rank that drives. */
struct segment {
    size_t offset;
    int bytes;
    bool ends_window;
    struct topo_shm_fifo_slot slot;
    MPI_Request receive;
};

/* Where a driver has the segment: in the user's data, or, received for others too, in its slot. */
static char *place_of(const struct run *run, const struct segment *segment)
{
    return run->root || run->node->ranks == 1 ? run->data + segment->offset : segment->slot.base;
}

/* The segment's slot, and the receive begins. */
static int expect(const struct run *run, size_t number, struct segment *segment)
{
    *segment =
        (struct segment){.offset = topo_pipeline_offset(run->cut, number),
                         .bytes = (int)topo_pipeline_bytes(run->cut, number),
                         .ends_window = number % WINDOW == WINDOW - 1,
                         .slot = topo_shm_fifo_next(run->call->comm->node, topo_pipeline_bytes(run->cut, number)),
                         .receive = MPI_REQUEST_NULL};
    if (run->root)
        return MPI_SUCCESS;
    topo_shm_fifo_claim(&segment->slot);
    return topo_irecv_typed(place_of(run, segment), segment->bytes, MPI_BYTE, run->from, TOPO_TAG, run->call->channel,
                            &segment->receive);
}

/* The segment goes on to other nodes. */
static int send_on(const struct run *run, const struct segment *segment)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < run->targets; i++) {
        MPI_Request *request = segment->ends_window ? &run->window[i] : &run->sends[i];
        *request = MPI_REQUEST_NULL;
        code = topo_first_error(code, (segment->ends_window ? topo_issend_typed : topo_isend_typed)(
                                          place_of(run, segment), segment->bytes, MPI_BYTE, run->to[i], TOPO_TAG,
                                          run->call->channel, request));
    }
    return code;
}

/* The segment goes to the ranks of this node, whatever went wrong before: they must get on. */
static void share(const struct run *run, const struct segment *segment)
{
    if (run->root) {
        topo_shm_fifo_claim(&segment->slot);
        memcpy(segment->slot.base, run->data + segment->offset, (size_t)segment->bytes);
    }
    topo_shm_fifo_publish(&segment->slot);
    if (!run->root)
        memcpy(run->data + segment->offset, segment->slot.base, (size_t)segment->bytes);
}

/* All segments on a rank that drives. The next ones are received while one is sent on; a slot is released when what was
 * sent from it is through. */
static int move_segments(const struct run *run)
{
    struct segment ring[TOPO_PIPELINE_AHEAD_MOST], now, last_of_window = {0};
    size_t ahead = (size_t)run->cut->ahead, expected = 0;
    int code = MPI_SUCCESS;
    for (int i = 0; i < run->targets; i++)
        run->sends[i] = run->window[i] = MPI_REQUEST_NULL;
    for (size_t i = 0; i < run->cut->segments; i++) {
        for (; expected < i + ahead && expected < run->cut->segments; expected++)
            code = topo_first_error(code, expect(run, expected, &ring[expected % ahead]));
        now = ring[i % ahead];
        code = topo_first_error(code, PMPI_Wait(&now.receive, MPI_STATUS_IGNORE));
        if (now.ends_window) {
            code = topo_first_error(code, PMPI_Waitall(run->targets, run->window, MPI_STATUSES_IGNORE));
            if (last_of_window.bytes > 0)
                topo_shm_fifo_release(&last_of_window.slot);
            last_of_window = now;
        }
        code = topo_first_error(code, send_on(run, &now));
        if (run->node->ranks > 1)
            share(run, &now);
        if (!now.ends_window) {
            code = topo_first_error(code, PMPI_Waitall(run->targets, run->sends, MPI_STATUSES_IGNORE));
            topo_shm_fifo_release(&now.slot);
        }
    }
    code = topo_first_error(code, PMPI_Waitall(run->targets, run->window, MPI_STATUSES_IGNORE));
    if (last_of_window.bytes > 0)
        topo_shm_fifo_release(&last_of_window.slot);
    return code;
}

/* All segments on the other ranks of a node. */
static void take(const struct run *run)
{
    for (size_t i = 0; i < run->cut->segments; i++) {
        size_t bytes = topo_pipeline_bytes(run->cut, i);
        struct topo_shm_fifo_slot slot = topo_shm_fifo_next(run->call->comm->node, bytes);
        topo_shm_fifo_await(&slot);
        memcpy(run->data + topo_pipeline_offset(run->cut, i), slot.base, bytes);
        topo_shm_fifo_release(&slot);
    }
}

/* Without shared memory a driver sends the bytes, as one message, to the ranks of its node too. */
static int with_messages(const struct run *run, int driver)
{
    const struct topo_bcast *call = run->call;
    int code = MPI_SUCCESS;
    if (!run->root)
        code = topo_recv(run->data, call->data.bytes, run->drives ? run->from : driver, call->channel);
    for (int i = 0; i < run->targets; i++)
        code = topo_first_error(code, topo_send(run->data, call->data.bytes, run->to[i], call->channel));
    for (int i = 0; run->drives && i < run->node->ranks; i++)
        if (topo_node_member(run->node, i) != driver)
            code = topo_first_error(
                code, topo_send(run->data, call->data.bytes, topo_node_member(run->node, i), call->channel));
    return code;
}

/* Once it is known what this rank does and where the bytes lie. */
static int with_data(const struct run *run, int driver)
{
    const struct topo_data *data = &run->call->data;
    struct topo_comm *comm = run->call->comm;
    int code = MPI_SUCCESS;
    bool there = topo_shm_fifo_open(comm->node, data->bytes < TOPO_SEGMENT_BYTES ? data->bytes : TOPO_SEGMENT_BYTES);
    if (!there && topo_comm_declines(comm))
        return TOPO_NOT_NOW;
    if (run->root && !data->contiguous)
        code = topo_data_pack(data, 0, run->data, run->call->channel->comm);
    if (!there) {
        code = topo_first_error(code, with_messages(run, driver));
    } else if (run->drives) {
        code = topo_first_error(code, move_segments(run));
    } else {
        take(run);
    }
    if (!run->root && !data->contiguous)
        code = topo_first_error(code, topo_data_unpack(data, 0, run->data, run->call->channel->comm));
    return code;
}

int topo_bcast_pipeline(const struct topo_bcast *call, const struct topo_bcast_tree *tree)
{
    struct topo_comm *comm = call->comm;
    const struct topo_node *node = comm->node;
    const int *start = node->levels->start;
    int root_node = topo_tree_node_of(comm->tree, call->root);
    int driver = node->index == root_node ? call->root : topo_tree_rank(comm->tree, start[node->index]);
    struct run run = {.call = call,
                      .node = node,
                      .cut = &tree->cut,
                      .data = call->data.base,
                      .root = comm->rank == call->root,
                      .drives = comm->rank == driver};
    size_t lists = (size_t)tree->most * (2 * sizeof *run.sends + sizeof *run.to);
    char *scratch = topo_scratch_take((call->data.contiguous ? 0 : call->data.bytes) + lists + sizeof *run.sends);
    int code = MPI_ERR_NO_MEM;
    if (!scratch)
        return code;
    run.sends = (MPI_Request *)scratch;
    run.window = run.sends + tree->most;
    run.to = (int *)(run.window + tree->most);
    if (!call->data.contiguous)
        run.data = scratch + lists;
    if (run.drives) {
        run.targets = tree->to(tree, root_node, node->index, run.to);
        for (int i = 0; i < run.targets; i++)
            run.to[i] = topo_tree_rank(comm->tree, start[run.to[i]]);
        if (!run.root) {
            int parent = tree->from(tree, root_node, node->index);
            run.from = parent == root_node ? call->root : topo_tree_rank(comm->tree, start[parent]);
        }
    }
    code = with_data(&run, driver);
    topo_scratch_give(scratch);
    return code;
}
