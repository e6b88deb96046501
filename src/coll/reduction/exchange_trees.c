/* Sums for one node, segment by segment up several trees at a time (patterns/trees.h): where a broadcast receives a
 * segment from a node, this sends the partial sum to it, and where it sends one, this receives and adds.
 *
 * What comes is added to a node's own sum in the order of the node's edges, all of a segment in one pass: equal calls
 * have equal bits, but those of an element depend on its place in the vector, and are not those of the other forms.
 *
 * Cost: with k trees of depth d and segments of s bytes, m beta + d (alpha + k s beta + k s gamma). */
#include "base/align.h"
#include "coll/base/transport.h"
#include "coll/reduction/node_sum.h"
#include "patterns/limits.h"
#include "patterns/pipeline.h"
#include "patterns/trees_racks.h"
#include "patterns/trees_shape.h"

enum {
    WINDOW_MOST = TOPO_TREES_WINDOW_MOST,
    REQUESTS = 2 * TOPO_TREES_MOST * WINDOW_MOST,
    LEAST = 2048, /* bytes of a segment */
    ROOM = 16     /* segments of TOPO_SEGMENT_BYTES that there is room for: two for each edge */
};

/* One call. Segments are counted as in the broadcast (bcast_trees.c). */
struct work {
    const struct topo_node_stripe *stripe;
    struct topo_trees trees;
    struct topo_pipeline cut; /* of the stripe's elements */
    int root;
    struct topo_trees_shape shape;
    /* Of each edge, segments whose receives have begun and that have come; of each tree, that are added up and whose
     * sends have begun. */
    size_t posted[TOPO_TREES_MOST], arrived[TOPO_TREES_MOST], added[TOPO_TREES_MOST], sent[TOPO_TREES_MOST];
    MPI_Request request[REQUESTS]; /* number i of an edge, or tree, at i % window */
    char *landed;                  /* by edge and i % window: `stride` bytes each */
    size_t stride;
};

/* A stripe of an element less may have longer segments, and an element may be longer than any. */
static size_t room_for(size_t bytes)
{
    return ROOM * topo_align(bytes < TOPO_SEGMENT_BYTES ? TOPO_SEGMENT_BYTES : bytes, TOPO_CACHE_LINE);
}

static size_t scratch(const void *form, size_t count, size_t bytes, int nodes)
{
    (void)form;
    (void)count;
    (void)nodes;
    return room_for(bytes);
}

static char *place_of(const struct work *work, size_t segment)
{
    return topo_stored_at(work->stripe->vector, work->stripe->sum, topo_pipeline_offset(&work->cut, segment));
}

static size_t count_of(const struct work *work, size_t segment)
{
    return topo_pipeline_bytes(&work->cut, segment);
}

static int slot_of(const struct work *work, int line, size_t number)
{
    return line * WINDOW_MOST + (int)(number % (size_t)work->shape.window);
}

static MPI_Request *receive_of(struct work *work, int edge, size_t number)
{
    return &work->request[slot_of(work, edge, number)];
}

static MPI_Request *send_of(struct work *work, int tree, size_t number)
{
    return &work->request[slot_of(work, TOPO_TREES_MOST + tree, number)];
}

static char *landed_in(const struct work *work, int edge, size_t number)
{
    return work->landed + ((size_t)(edge * work->shape.window) + number % (size_t)work->shape.window) * work->stride;
}

static int peer_of(const struct work *work, int number)
{
    const struct topo_levels *levels = work->stripe->comm->node->levels;
    return topo_node_stripe_peer(work->stripe, topo_levels_numbered(levels, work->root, number));
}

static int receive(struct work *work, int edge)
{
    const struct topo_vector *vector = work->stripe->vector;
    int tree = work->trees.tree[edge], code = MPI_SUCCESS;
    while (work->arrived[edge] < work->posted[edge] && *receive_of(work, edge, work->arrived[edge]) == MPI_REQUEST_NULL)
        work->arrived[edge]++;
    for (; work->posted[edge] < topo_trees_count(&work->trees, tree, work->cut.segments) &&
           work->posted[edge] < work->added[tree] + (size_t)work->shape.window;
         work->posted[edge]++) {
        size_t number = work->posted[edge], segment = topo_trees_segment(&work->trees, tree, number);
        code = topo_first_error(
            code, topo_irecv_typed(landed_in(work, edge, number), topo_stored_units(vector, count_of(work, segment)),
                                   vector->stored.wire, peer_of(work, work->trees.child[edge]), TOPO_TAG_TREE + tree,
                                   vector->channel, receive_of(work, edge, number)));
    }
    return code;
}

/* The sum of the next segment of a tree: the node's operands and what has come over all edges of the tree. */
static int add(struct work *work, int tree)
{
    size_t number = work->added[tree]++, segment = topo_trees_segment(&work->trees, tree, number),
           count = count_of(work, segment);
    const struct topo_node_stripe *stripe = work->stripe;
    char *sum = place_of(work, segment);
    int code = topo_node_stripe_add(stripe, topo_pipeline_offset(&work->cut, segment), count);
    struct topo_pass pass = topo_pass_begin(stripe->bench, stripe->vector, sum, sum, count);
    for (int edge = 0; edge < work->trees.edges && code == MPI_SUCCESS; edge++)
        if (work->trees.tree[edge] == tree)
            code = topo_pass_add(&pass, landed_in(work, edge, number));
    return code == MPI_SUCCESS ? topo_pass_end(&pass) : code;
}

/* Whether it is all there, and wanted: a leaf adds up no more than it sends, so that it stays with what a cache holds.
 */
static bool can_add(struct work *work, int tree)
{
    bool leaf = true;
    size_t number = work->added[tree];
    if (number == topo_trees_count(&work->trees, tree, work->cut.segments))
        return false;
    for (int edge = 0; edge < work->trees.edges; edge++)
        if (work->trees.tree[edge] == tree) {
            leaf = false;
            if (work->arrived[edge] <= number)
                return false;
        }
    return !leaf || *send_of(work, tree, number) == MPI_REQUEST_NULL;
}

static int send(struct work *work, int tree)
{
    const struct topo_vector *vector = work->stripe->vector;
    int code = MPI_SUCCESS;
    for (; work->sent[tree] < work->added[tree] && *send_of(work, tree, work->sent[tree]) == MPI_REQUEST_NULL;
         work->sent[tree]++) {
        size_t segment = topo_trees_segment(&work->trees, tree, work->sent[tree]);
        code = topo_first_error(
            code, (topo_trees_awaited(&work->shape, work->sent[tree]) ? topo_issend_typed : topo_isend_typed)(
                      place_of(work, segment), topo_stored_units(vector, count_of(work, segment)), vector->stored.wire,
                      peer_of(work, work->trees.parent[tree]), TOPO_TAG_TREE + tree, vector->channel,
                      send_of(work, tree, work->sent[tree])));
    }
    return code;
}

/* What can be done for a tree now, of additions one: *added. After an error everything is still received and sent, as
 * others wait for it. */
static int advance(struct work *work, int tree, bool *added)
{
    int code = MPI_SUCCESS;
    for (int edge = 0; edge < work->trees.edges; edge++)
        if (work->trees.tree[edge] == tree)
            code = topo_first_error(code, receive(work, edge));
    if (can_add(work, tree)) {
        *added = true;
        code = topo_first_error(code, add(work, tree));
    }
    return work->trees.node == 0 ? code : topo_first_error(code, send(work, tree));
}

/* MPI gets on with messages after some additions. */
static int advance_all(struct work *work)
{
    int code = MPI_SUCCESS, done = 0, indices[REQUESTS];
    while (done != MPI_UNDEFINED) {
        bool added = false;
        for (int tree = 0; tree < work->trees.trees; tree++)
            code = topo_first_error(code, advance(work, tree, &added));
        code = topo_first_error(code, added ? topo_testsome(REQUESTS, work->request, &done, indices)
                                            : PMPI_Waitany(REQUESTS, work->request, &done, MPI_STATUS_IGNORE));
        done = added ? 0 : done;
    }
    return code;
}

/* As many bytes for all stripes as one would have, as the link is one. */
static struct topo_trees_shape shape_of(const struct topo_exchange_target *target,
                                        const struct topo_node_stripe *stripe)
{
    uint64_t stripes = (uint64_t)stripe->stripes, bytes = (uint64_t)stripe->count * stripe->vector->stored.bytes;
    struct topo_trees_shape shape =
        topo_trees_shape(bytes * stripes, stripe->comm->node->levels, target->oversubscribed, target->segment);
    shape.segment /= target->segment ? 1 : stripes;
    shape.segment = shape.segment < LEAST ? LEAST : shape.segment;
    return shape;
}

static int run(const void *form, const struct topo_node_stripe *stripe)
{
    const struct topo_node *node = stripe->comm->node;
    const struct topo_exchange_target *target = form;
    size_t bytes = stripe->vector->stored.bytes;
    struct work work = {.stripe = stripe, .root = target->root, .landed = stripe->scratch};
    int code = MPI_SUCCESS;
    if (stripe->count == 0)
        return code;
    work.shape = shape_of(target, stripe);
    topo_trees_find(node->levels, target->root, node->index, work.shape.trees, &work.trees);
    work.cut = topo_pipeline_cut(stripe->count, work.shape.segment / bytes > 1 ? (size_t)work.shape.segment / bytes : 1,
                                 work.shape.lead, 1);
    work.stride = topo_align(work.cut.segment * bytes, TOPO_CACHE_LINE);
    size_t window = room_for(bytes) / work.stride / (size_t)work.shape.trees;
    if (window < (size_t)work.shape.window)
        work.shape.window = (int)window;
    for (int i = 0; i < REQUESTS; i++)
        work.request[i] = MPI_REQUEST_NULL;
    code = advance_all(&work);
    /* A single node has no trees. */
    if (work.trees.trees == 0)
        code = topo_node_stripe_add(stripe, 0, stripe->count);
    return code;
}

struct topo_node_exchange topo_exchange_trees(const struct topo_exchange_target *target, int ranks)
{
    return (struct topo_node_exchange){
        .segment = topo_sum_segment(ranks), .form = target, .scratch = scratch, .run = run};
}
