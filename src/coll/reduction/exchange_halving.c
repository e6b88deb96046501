/* Sums by reduce-scatter and allgather between the nodes (patterns/halving.h): few messages, each as long as can be.
 * For one node a gather follows instead: the scatter of a broadcast from there, backwards. The order of additions is
 * that of exchange_steps.c, so the bits are the same. */
#include "base/align.h"
#include "coll/base/transport.h"
#include "coll/reduction/block_sets.h"
#include "coll/reduction/node_sum.h"
#include "patterns/limits.h"

/* One call. Blocks are counted by their places in the vector. */
struct work {
    const struct topo_halving_target *target;
    const struct topo_node_stripe *stripe;
    MPI_Request *request;
    int started;
    struct topo_block_sets sets; /* of the stripe */
    char *buffers; /* of a step: room for what is kept from each unit, for the total, and for this node's own */
};

static size_t requests_of(const struct topo_halving *plan)
{
    int most = 0;
    for (int i = 0; i < plan->count; i++)
        if (plan->step[i].units + plan->step[i].messages > most)
            most = plan->step[i].units + plan->step[i].messages;
    return topo_align((size_t)most * sizeof(MPI_Request), TOPO_CACHE_LINE);
}

/* Bytes that a set may have, at most, of up to `count` elements: a share is shorter than twice the least. */
static size_t room_for(const struct topo_halving *plan, const struct topo_block_set *set, size_t count, size_t bytes)
{
    size_t even = count / (size_t)plan->nodes, least = 2 * TOPO_SHARE_LEAST / bytes;
    size_t elements = (size_t)set->blocks * ((even > least ? even : least) + 1);
    return topo_align((elements < count ? elements : count) * bytes, TOPO_CACHE_LINE);
}

static size_t scratch(const void *form, size_t count, size_t bytes, int nodes)
{
    const struct topo_halving *plan = ((const struct topo_halving_target *)form)->plan;
    size_t most = 0;
    (void)nodes;
    for (int i = 0; i < plan->count; i++) {
        size_t buffers = (size_t)(plan->step[i].units + 1) * room_for(plan, &plan->step[i].kept, count, bytes);
        most = buffers > most ? buffers : most;
    }
    return requests_of(plan) + topo_align(count * bytes, TOPO_CACHE_LINE) + most;
}

static int start(struct work *work, bool send, char *place, size_t count, int node)
{
    const struct topo_vector *vector = work->stripe->vector;
    int units = topo_stored_units(vector, count), peer = topo_node_stripe_peer(work->stripe, node);
    if (count == 0)
        return MPI_SUCCESS;
    MPI_Request *request = &work->request[work->started++];
    *request = MPI_REQUEST_NULL;
    return send ? topo_isend_typed(place, units, vector->stored.wire, peer, TOPO_TAG, vector->channel, request)
                : topo_irecv_typed(place, units, vector->stored.wire, peer, TOPO_TAG, vector->channel, request);
}

static int wait(struct work *work, int code)
{
    int waited = PMPI_Waitall(work->started, work->request, MPI_STATUSES_IGNORE);
    work->started = 0;
    work->sets.packed_at = 0;
    return code != MPI_SUCCESS ? code : waited;
}

/* What other nodes are on the way to is sent to them; what is kept is added up, the units in their order. */
static int reduce_step(struct work *work, const struct topo_halving_step *step)
{
    struct topo_block_sets *sets = &work->sets;
    const struct topo_vector *vector = work->stripe->vector;
    const struct topo_block_set *kept = &step->kept;
    bool in_place = !topo_block_set_is_packed(kept);
    size_t count = topo_block_set_count(sets, kept), stride = topo_align(count * sets->bytes, TOPO_CACHE_LINE);
    char *next = work->buffers, *total = in_place ? topo_block_set_place(sets, kept) : next;
    next += in_place ? 0 : stride;
    char *own = step->mine == 0 ? total : next, *others = next + (step->mine == 0 ? 0 : stride);
    const int *child = &sets->plan->child[step->child];
    int code = MPI_SUCCESS;
    /* The first unit's sums come where the total will be. */
    if (!in_place || step->mine > 0)
        topo_block_set_pack(sets, kept, own, false);
    next = others;
    for (int unit = 0; unit < step->units && code == MPI_SUCCESS; unit++) {
        if (unit == step->mine)
            continue;
        code = start(work, false, unit == 0 ? total : next, count, *child++);
        next += unit == 0 ? 0 : stride;
    }
    for (int i = 0; i < step->messages && code == MPI_SUCCESS; i++) {
        const struct topo_halving_message *message = &sets->plan->message[step->message + i];
        char *place = topo_block_set_place(sets, &message->set);
        if (topo_block_set_is_packed(&message->set))
            topo_block_set_pack(sets, &message->set, place, false);
        code = start(work, true, place, topo_block_set_count(sets, &message->set), message->node);
    }
    code = wait(work, code);
    next = others;
    for (int unit = 1; unit < step->units && code == MPI_SUCCESS && count > 0; unit++) {
        code = topo_bench_add(work->stripe->bench, vector, unit == step->mine ? own : next, total, count);
        next += unit == step->mine ? 0 : stride;
    }
    if (!in_place && code == MPI_SUCCESS)
        topo_block_set_pack(sets, kept, total, true);
    return code;
}

/* The same messages the other way, with sums; for one node those that the scatter of a broadcast from there has. */
static int gather_step(struct work *work, const struct topo_halving_step *step)
{
    const struct topo_halving_target *target = work->target;
    struct topo_block_sets *sets = &work->sets;
    const struct topo_halving_message *message = &sets->plan->message[step->message];
    const struct topo_block_set *kept = &step->kept;
    int node = work->stripe->comm->node->index, code = MPI_SUCCESS;
    int to = target->root < 0 ? -1 : topo_halving_source(target->plan, step, target->levels, target->root, node);
    bool gets = target->root < 0 || topo_halving_has_all(target->levels, step, target->root, node);
    int received = gets ? step->messages : 0;
    for (int i = 0; i < received && code == MPI_SUCCESS; i++)
        code = start(work, false, topo_block_set_place(sets, &message[i].set),
                     topo_block_set_count(sets, &message[i].set), message[i].node);
    bool packed = sets->packed_at > 0;
    char *sent = topo_block_set_is_packed(kept) ? work->buffers : topo_block_set_place(sets, kept);
    if (topo_block_set_is_packed(kept) && (target->root < 0 || to >= 0))
        topo_block_set_pack(sets, kept, sent, false);
    for (int i = 0; i < step->units - 1 && code == MPI_SUCCESS; i++) {
        int child = target->plan->child[step->child + i];
        if (target->root < 0 || child == to)
            code = start(work, true, sent, topo_block_set_count(sets, kept), child);
    }
    code = wait(work, code);
    for (int i = 0; i < received && code == MPI_SUCCESS && packed; i++)
        if (topo_block_set_is_packed(&message[i].set))
            topo_block_set_pack(sets, &message[i].set, topo_block_set_place(sets, &message[i].set), true);
    sets->packed_at = 0;
    return code;
}

static int run(const void *form, const struct topo_node_stripe *stripe)
{
    const struct topo_halving_target *target = form;
    const struct topo_halving *plan = target->plan;
    char *packed = stripe->scratch + requests_of(plan);
    size_t bytes = stripe->vector->stored.bytes;
    struct work work = {
        .target = target,
        .stripe = stripe,
        .request = (MPI_Request *)stripe->scratch,
        .sets = {.plan = plan, .vector = stripe->sum, .count = stripe->count, .bytes = bytes, .packed = packed},
        .buffers = packed + topo_align(stripe->count * bytes, TOPO_CACHE_LINE)};
    int code = topo_node_stripe_add(stripe, 0, stripe->count);
    for (int i = 0; i < plan->count && code == MPI_SUCCESS; i++)
        code = reduce_step(&work, &plan->step[i]);
    for (int i = plan->count; i-- > 0 && code == MPI_SUCCESS;)
        code = gather_step(&work, &plan->step[i]);
    return code;
}

struct topo_node_exchange topo_exchange_halving(const struct topo_halving_target *target, int ranks)
{
    return (struct topo_node_exchange){
        .segment = topo_sum_segment(ranks), .form = target, .scratch = scratch, .run = run};
}
