/* Broadcast of many bytes between many nodes: segments down several trees at a time (patterns/trees.h, in racks
 * trees_racks.h), in which one rank of each node, the root or the first one, receives all segments and passes those of
 * one tree on, and gives what comes to its node through shared memory.
 *
 * Cost: with k trees of depth d among n nodes and segments of s bytes, m beta + d (alpha + k s beta), plus two copies
 * inside the node beside them. */
#include "base/align.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "coll/bcast/segments.h"
#include "job/job.h"
#include "node/shm_fifo.h"
#include "patterns/trees_racks.h"
#include "patterns/trees_shape.h"

enum { WINDOW_MOST = TOPO_TREES_WINDOW_MOST, REQUESTS = 2 * TOPO_TREES_MOST * WINDOW_MOST };

/* One call on this rank. */
struct run {
    struct topo_bcast_segments segments;
    struct topo_trees trees;
    struct topo_trees_shape shape;
    /* On the rank that drives, of each tree: segments whose receives have begun, and that are there; of each edge:
     * those whose sends have begun. Number i of each has the request of place i % window. */
    size_t posted[TOPO_TREES_MOST], arrived[TOPO_TREES_MOST], sent[TOPO_TREES_MOST];
    MPI_Request request[REQUESTS];
    size_t given; /* segments, in their order */
};

static MPI_Request *receive_of(struct run *run, int tree, size_t number)
{
    return &run->request[tree * WINDOW_MOST + (int)(number % (size_t)run->shape.window)];
}

static MPI_Request *send_of(struct run *run, int edge, size_t number)
{
    return &run->request[(TOPO_TREES_MOST + edge) * WINDOW_MOST + (int)(number % (size_t)run->shape.window)];
}

static int receive(struct run *run, int tree)
{
    const struct topo_bcast *call = run->segments.call;
    int code = MPI_SUCCESS;
    while (run->arrived[tree] < run->posted[tree] && *receive_of(run, tree, run->arrived[tree]) == MPI_REQUEST_NULL)
        run->arrived[tree]++;
    for (; run->posted[tree] < topo_trees_count(&run->trees, tree, run->segments.cut.segments) &&
           run->posted[tree] < run->arrived[tree] + (size_t)run->shape.window;
         run->posted[tree]++) {
        size_t segment = topo_trees_segment(&run->trees, tree, run->posted[tree]);
        code = topo_first_error(
            code, topo_irecv_typed(topo_bcast_segments_at(&run->segments, segment),
                                   topo_bcast_segments_bytes(&run->segments, segment), MPI_BYTE,
                                   topo_bcast_segments_driver(&run->segments, run->trees.parent[tree]),
                                   TOPO_TAG_TREE + tree, call->channel, receive_of(run, tree, run->posted[tree])));
    }
    return code;
}

static int send_next(struct run *run, int edge)
{
    int tree = run->trees.tree[edge];
    size_t number = run->sent[edge]++, segment = topo_trees_segment(&run->trees, tree, number);
    return (topo_trees_awaited(&run->shape, number) ? topo_issend_typed : topo_isend_typed)(
        topo_bcast_segments_at(&run->segments, segment), topo_bcast_segments_bytes(&run->segments, segment), MPI_BYTE,
        topo_bcast_segments_driver(&run->segments, run->trees.child[edge]), TOPO_TAG_TREE + tree,
        run->segments.call->channel, send_of(run, edge, number));
}

/* The edge whose next segment is there, as far as its window goes, and which has sent least; -1: none. */
static int edge_behind(struct run *run)
{
    int behind = -1;
    for (int edge = 0; edge < run->trees.edges; edge++)
        if (run->sent[edge] < run->arrived[run->trees.tree[edge]] &&
            *send_of(run, edge, run->sent[edge]) == MPI_REQUEST_NULL &&
            (behind < 0 || run->sent[edge] < run->sent[behind]))
            behind = edge;
    return behind;
}

/* Sends that may begin now: on the root, which has all segments, few are under way at a time, as the others get them in
 * the order in which these end; on other nodes as many as segments have come. */
static int room(const struct run *run)
{
    int room = run->shape.at_once;
    if (run->trees.node > 0)
        return REQUESTS;
    for (int i = TOPO_TREES_MOST * WINDOW_MOST; i < REQUESTS; i++)
        room -= run->request[i] != MPI_REQUEST_NULL;
    return room;
}

/* What is there, in the vector's order. */
static int send(struct run *run)
{
    int code = MPI_SUCCESS, edge;
    for (int left = room(run); left > 0 && (edge = edge_behind(run)) >= 0; left--)
        code = topo_first_error(code, send_next(run, edge));
    return code;
}

/* Whether the next segment for the ranks of this node is there. */
static bool can_give(const struct run *run)
{
    size_t trees = (size_t)run->trees.trees;
    return run->segments.node->ranks > 1 && run->given < run->segments.cut.segments &&
           (trees == 0 || run->arrived[run->given % trees] > run->given / trees);
}

/* What has come goes to the ranks of this node one segment at a time, and MPI gets on with messages after each; the
 * root has all segments from the start. */
static int drive(struct run *run)
{
    int code = MPI_SUCCESS, done = 0, indices[REQUESTS];
    for (int i = 0; i < REQUESTS; i++)
        run->request[i] = MPI_REQUEST_NULL;
    for (int tree = 0; run->trees.node == 0 && tree < run->trees.trees; tree++)
        run->posted[tree] = run->arrived[tree] = topo_trees_count(&run->trees, tree, run->segments.cut.segments);
    while (done != MPI_UNDEFINED) {
        for (int tree = 0; tree < run->trees.trees; tree++)
            code = topo_first_error(code, receive(run, tree));
        code = topo_first_error(code, send(run));
        if (can_give(run)) {
            topo_bcast_segments_give(&run->segments, run->given++);
            code = topo_first_error(code, topo_testsome(REQUESTS, run->request, &done, indices));
            done = 0;
        } else {
            code = topo_first_error(code, PMPI_Waitany(REQUESTS, run->request, &done, MPI_STATUS_IGNORE));
        }
    }
    return code;
}

int topo_bcast_trees(const struct topo_bcast *call)
{
    struct topo_comm *comm = call->comm;
    const struct topo_node *node = topo_comm_node(comm);
    const struct topo_data *data = &call->data;
    if (!node)
        return MPI_ERR_NO_MEM;
    if (!topo_shm_fifo_open(comm->node, data->bytes < TOPO_SEGMENT_BYTES ? data->bytes : TOPO_SEGMENT_BYTES))
        return topo_comm_declines(comm) ? TOPO_NOT_NOW : topo_bcast_leader(call);
    int code = MPI_SUCCESS;
    struct topo_trees_shape shape =
        topo_trees_shape(data->bytes, node->levels, topo_job.oversubscribed, comm->call.parameters.segment);
    struct run run = {.segments = {call, node, topo_tree_node_of(comm->tree, call->root), data->base,
                                   topo_pipeline_cut(data->bytes, (size_t)shape.segment, shape.lead, TOPO_CACHE_LINE)},
                      .shape = shape};
    int first = topo_tree_rank(comm->tree, node->levels->start[node->index]);
    char *scratch = data->contiguous ? NULL : topo_scratch_take(data->bytes);
    if (!data->contiguous && !scratch)
        return MPI_ERR_NO_MEM;
    topo_trees_find(node->levels, run.segments.root_node, node->index, shape.trees, &run.trees);
    if (scratch)
        run.segments.data = scratch;
    if (scratch && comm->rank == call->root)
        code = topo_data_pack(data, 0, run.segments.data, call->channel->comm);
    if (comm->rank == (node->index == run.segments.root_node ? call->root : first))
        code = topo_first_error(code, drive(&run));
    else
        while (run.given < run.segments.cut.segments)
            topo_bcast_segments_take(&run.segments, run.given++);
    if (scratch && comm->rank != call->root)
        code = topo_first_error(code, topo_data_unpack(data, 0, run.segments.data, call->channel->comm));
    topo_scratch_give(scratch);
    return code;
}
