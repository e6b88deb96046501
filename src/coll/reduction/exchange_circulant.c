/* Sums for one node, block by block on a circulant graph (patterns/circulant.h) backwards: where a broadcast receives a
 * block from a node, this sends the partial sum to it, and where it sends one, this receives and adds.
 *
 * Partial sums are added in the order of the rounds, which says for each block in which order its nodes come: equal
 * calls have equal bits, but those of an element depend on its place in the vector, and are not those of the other
 * forms. Rounds keep together as in the broadcast.
 *
 * Cost: with b blocks of s bytes and n nodes, (b - 1 + ceil(log2 n)) (alpha + s beta + s gamma). */
#include <string.h>

#include "base/align.h"
#include "coll/base/transport.h"
#include "coll/reduction/node_sum.h"
#include "patterns/circulant.h"
#include "patterns/pipeline.h"
#include "patterns/limits.h"

enum {
    AHEAD_MOST = TOPO_CIRCULANT_AHEAD_MOST,
    BEHIND_MOST = TOPO_CIRCULANT_BEHIND_MOST,
    LEAST = 2048 /* bytes of a block */
};

/* One call. Rounds are those of the broadcast, and go down. */
struct work {
    const struct topo_node_stripe *stripe;
    struct topo_circulant circulant;
    struct topo_circulant_pace pace;
    int root;
    uint64_t segment;         /* bytes of a block, about */
    struct topo_pipeline cut; /* of the stripe's elements into blocks */
    MPI_Request receive[AHEAD_MOST], send[BEHIND_MOST];
    int64_t posted, added; /* the last rounds whose receives have begun, and whose sums have been added */
    char *landed;          /* [AHEAD_MOST] blocks, `stride` bytes each */
    size_t stride;
    bool *summed; /* by block: the node's own operands are in the sum */
};

/* A block of a stripe, of `given` bytes where that is not 0. Where rounds keep together all stripes have as much under
 * way as one would, as the link is one.
 */
static uint64_t segment_of(const struct topo_node_stripe *stripe, int nodes, bool keeps, bool oversubscribed,
                           size_t given)
{
    uint64_t bytes = (uint64_t)stripe->count * stripe->vector->stored.bytes, stripes = (uint64_t)stripe->stripes;
    uint64_t segment = keeps && !given ? topo_circulant_segment(bytes * stripes, nodes, false, 0) / stripes
                                       : topo_circulant_segment(bytes, nodes, oversubscribed, given);
    return segment < LEAST ? LEAST : segment;
}

/* A stripe of an element less may have fewer blocks, and longer ones: from LEAST to TOPO_SEGMENT_BYTES, unless the
 * vector or an element says otherwise. */
static size_t scratch(const void *form, size_t count, size_t bytes, int nodes)
{
    size_t most = bytes < TOPO_SEGMENT_BYTES ? TOPO_SEGMENT_BYTES : bytes, least = bytes < LEAST ? LEAST / bytes : 1;
    (void)form;
    (void)nodes;
    return AHEAD_MOST * topo_align(most, TOPO_CACHE_LINE) + (count / least + 2) * sizeof(bool);
}

static char *place_of(const struct work *work, int64_t block)
{
    return topo_stored_at(work->stripe->vector, work->stripe->sum, topo_pipeline_offset(&work->cut, (size_t)block));
}

static size_t count_of(const struct work *work, int64_t block)
{
    return topo_pipeline_bytes(&work->cut, (size_t)block);
}

static char *landed_in(const struct work *work, int64_t round)
{
    return work->landed + (size_t)(round % AHEAD_MOST) * work->stride;
}

static int peer_of(const struct work *work, int number)
{
    const struct topo_levels *levels = work->stripe->comm->node->levels;
    return topo_node_stripe_peer(work->stripe, topo_levels_numbered(levels, work->root, number));
}

/* The node's operands of a block are added up when the block is first needed. */
static int sum_own(struct work *work, int64_t block)
{
    if (work->summed[block])
        return MPI_SUCCESS;
    work->summed[block] = true;
    return topo_node_stripe_add(work->stripe, topo_pipeline_offset(&work->cut, (size_t)block), count_of(work, block));
}

static int post(struct work *work)
{
    const struct topo_vector *vector = work->stripe->vector;
    int code = MPI_SUCCESS, from;
    for (; work->posted > 0 && work->posted > work->added - work->pace.ahead; work->posted--) {
        int64_t round = work->posted - 1, block = topo_circulant_sends(&work->circulant, round, &from);
        MPI_Request *request = &work->receive[round % AHEAD_MOST];
        *request = MPI_REQUEST_NULL;
        if (block >= 0)
            code = topo_first_error(
                code, topo_irecv_typed(landed_in(work, round), topo_stored_units(vector, count_of(work, block)),
                                       vector->stored.wire, peer_of(work, from), TOPO_TAG, vector->channel, request));
    }
    return code;
}

/* Adds what comes in the rounds from `until` on. */
static int add_from(struct work *work, int64_t until)
{
    int code = post(work), from;
    for (; work->added > until; work->added--) {
        code = topo_first_error(code, post(work));
        int64_t round = work->added - 1, block = topo_circulant_sends(&work->circulant, round, &from);
        if (block < 0)
            continue;
        code = topo_first_error(code, sum_own(work, block));
        code = topo_first_error(code, PMPI_Wait(&work->receive[round % AHEAD_MOST], MPI_STATUS_IGNORE));
        if (code == MPI_SUCCESS)
            code = topo_bench_add(work->stripe->bench, work->stripe->vector, landed_in(work, round),
                                  place_of(work, block), count_of(work, block));
    }
    return topo_first_error(code, post(work));
}

/* The last round, counted down to `round`, that brings a partial sum of the block; the number of rounds: none does. */
static int64_t last_before(const struct work *work, int64_t block, int64_t round)
{
    const struct topo_circulant *circulant = &work->circulant;
    int from;
    int64_t end = round + topo_circulant_span(circulant);
    end = end < circulant->rounds ? end : circulant->rounds;
    do
        round++;
    while (round < end && topo_circulant_sends(circulant, round, &from) != block);
    return round < end ? round : circulant->rounds;
}

/* What this node sends in a round, once all that goes into it has come. */
static int send_in(struct work *work, int64_t round)
{
    const struct topo_vector *vector = work->stripe->vector;
    int behind = work->pace.behind, to;
    int code = PMPI_Wait(&work->send[(round + behind) % BEHIND_MOST], MPI_STATUS_IGNORE);
    int64_t block = topo_circulant_receives(&work->circulant, round, &to), until = round + 1 + work->pace.lag;
    if (block >= 0) {
        int64_t last = last_before(work, block, round);
        until = last < until ? last : until;
    }
    code = topo_first_error(code, add_from(work, until));
    if (block < 0)
        return code;
    code = topo_first_error(code, sum_own(work, block));
    const int64_t awaited = topo_circulant_awaited(&work->circulant, work->segment);
    const int64_t phase = (work->circulant.rounds - 1 - round) / work->circulant.phase;
    const bool synchronous = behind < BEHIND_MOST || phase % awaited == awaited - 1;
    return topo_first_error(code, (synchronous ? topo_issend_typed : topo_isend_typed)(
                                      place_of(work, block), topo_stored_units(vector, count_of(work, block)),
                                      vector->stored.wire, peer_of(work, to), TOPO_TAG, vector->channel,
                                      &work->send[round % BEHIND_MOST]));
}

static int run(const void *form, const struct topo_node_stripe *stripe)
{
    const struct topo_node *node = stripe->comm->node;
    const struct topo_exchange_target *target = form;
    size_t bytes = stripe->vector->stored.bytes;
    int nodes = node->levels->nodes, root = target->root, code = MPI_SUCCESS;
    uint64_t whole = (uint64_t)stripe->count * bytes * (uint64_t)stripe->stripes;
    bool keeps = topo_circulant_together(whole, target->oversubscribed);
    struct work work = {.stripe = stripe,
                        .pace = topo_circulant_pace_of(whole, target->oversubscribed),
                        .root = root,
                        .segment = segment_of(stripe, nodes, keeps, target->oversubscribed, target->segment)};
    if (stripe->count == 0)
        return code;
    work.cut = topo_pipeline_cut(stripe->count, work.segment / bytes > 1 ? work.segment / bytes : 1, 0, 1);
    size_t blocks = work.cut.segments;
    topo_circulant_make(nodes, topo_levels_number(node->levels, root, node->index), (int64_t)blocks, &work.circulant);
    work.stride = topo_align(work.cut.segment * bytes, TOPO_CACHE_LINE);
    work.landed = stripe->scratch;
    work.summed = (bool *)(work.landed + AHEAD_MOST * work.stride);
    memset(work.summed, 0, blocks * sizeof *work.summed);
    work.posted = work.added = work.circulant.rounds;
    for (int i = 0; i < BEHIND_MOST; i++)
        work.send[i] = MPI_REQUEST_NULL;
    for (int64_t round = work.circulant.rounds; round-- > 0;)
        code = topo_first_error(code, send_in(&work, round));
    code = topo_first_error(code, add_from(&work, 0));
    /* What nobody sent or asked for: all of it on a single node. */
    for (size_t block = 0; block < blocks; block++)
        code = topo_first_error(code, sum_own(&work, (int64_t)block));
    return topo_first_error(code, PMPI_Waitall(BEHIND_MOST, work.send, MPI_STATUSES_IGNORE));
}

struct topo_node_exchange topo_exchange_circulant(const struct topo_exchange_target *target, int ranks)
{
    return (struct topo_node_exchange){
        .segment = topo_sum_segment(ranks), .form = target, .scratch = scratch, .run = run};
}
