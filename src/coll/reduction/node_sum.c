/* Operands are added in tree order inside a node and in the order of units on every
 * level, whichever node adds: the same bits for all ranks, all roots, and both
 * operations; they depend on nothing but the layout. */
#include "coll/reduction/node_sum.h"

#include "base/copy.h"
#include "node/shm_buffer.h"
#include "coll/base/node_steps.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "base/align.h"

enum {
    EVERYBODY_MOST = 2048, /* bytes: so short that in a single node each rank that gets the sum adds up for itself */
    SEGMENT = 262144       /* bytes, or one element, which has no more than an int counts */
};

/* One call on this rank. */
struct run {
    const struct topo_vector *vector;
    const struct topo_comm *comm;
    const struct topo_node_steps *steps;
    struct topo_shm_buffer buffer;
    bool apart;       /* as in struct topo_result_range */
    size_t at, count; /* elements of the vector that this rank gets, into its result */
    size_t slot;      /* bytes of the buffer for each rank's operands */
    struct topo_bench bench;
    int stripes;
    MPI_Request *request;
    char *received; /* operands of other nodes, those of each in `stride` bytes */
    size_t stride;
};

/* First element of stripe s. */
static size_t stripe_at(const struct run *run, int s)
{
    return run->vector->count * (size_t)s / (size_t)run->stripes;
}

/* Element `at` of a local rank's operands. */
static char *operand(const struct run *run, int local, size_t at)
{
    return topo_stored_at(run->vector, run->buffer.base + (size_t)local * run->slot, at);
}

static int add(const struct run *run, const char *operands, char *sum, size_t count)
{
    return topo_bench_add(&run->bench, run->vector, operands, sum, count);
}

/* Adds the operands 1, 2, .. of the node to `sum`, which has those of rank 0. */
static int add_node(const struct run *run, char *sum, size_t at, size_t count)
{
    int code = MPI_SUCCESS;
    for (int local = 1; local < run->buffer.node->ranks && code == MPI_SUCCESS; local++)
        code = add(run, operand(run, local, at), sum, count);
    return code;
}

static int peer_of(const struct run *run, const struct topo_node_message *message)
{
    const struct topo_node *node = run->buffer.node;
    return run->comm->order[node->levels->start[message->node] + node->local];
}

/* One step with `count` elements: *sum is this unit's sum and becomes the group's where the others' come in;
 * `received` has room for them. */
static int run_step(const struct run *run, const struct topo_node_step *step, char **sum, char *received, size_t count)
{
    const struct topo_node_message *in = &run->steps->message[step->receive];
    const struct topo_node_message *out = &run->steps->message[step->send];
    const struct topo_vector *vector = run->vector;
    int started = 0, code = MPI_SUCCESS, units = topo_stored_units(vector, count);
    for (int i = 0; i < step->receives && code == MPI_SUCCESS; i++, started += code == MPI_SUCCESS)
        code = topo_irecv_typed(received + (size_t)i * run->stride, units, vector->stored.wire, peer_of(run, &in[i]),
                                TOPO_TAG, vector->channel, &run->request[started]);
    for (int i = 0; i < step->sends && code == MPI_SUCCESS; i++, started += code == MPI_SUCCESS)
        code = topo_isend_typed(*sum, units, vector->stored.wire, peer_of(run, &out[i]), TOPO_TAG, vector->channel,
                                &run->request[started]);
    int waited = PMPI_Waitall(started, run->request, MPI_STATUSES_IGNORE);
    if (code == MPI_SUCCESS)
        code = waited;
    if (step->receives == 0)
        return code;
    char *total = NULL, *next = received;
    for (int unit = 0; unit < step->units && code == MPI_SUCCESS; unit++) {
        char *operands = unit == step->mine ? *sum : next;
        next += unit == step->mine ? 0 : run->stride;
        if (total)
            code = add(run, operands, total, count);
        else
            total = operands;
    }
    *sum = total;
    return code;
}

/* Strip s on the rank that drives it: what sum it has at the end is left in the place of rank 0's operands. */
static int move_stripe(const struct run *run, int s)
{
    size_t at = stripe_at(run, s), count = stripe_at(run, s + 1) - at;
    char *place = operand(run, 0, at), *sum = place, *received = run->received;
    int code = add_node(run, sum, at, count);
    for (int r = 0; r < run->steps->count && code == MPI_SUCCESS; r++) {
        code = run_step(run, &run->steps->step[r], &sum, received, count);
        received += (size_t)run->steps->step[r].receives * run->stride;
    }
    if (code == MPI_SUCCESS && sum != place)
        topo_copy(place, sum, count * run->vector->stored.bytes, false);
    return code;
}

/* On a single node: each rank adds up for itself, which saves a hand-over. */
static int add_up_alone(const struct run *run)
{
    const struct topo_vector *vector = run->vector;
    char *operands = operand(run, 0, run->at);
    int code = topo_vector_fetch(vector, operands, vector->result, run->count);
    for (int local = 1; local < run->buffer.node->ranks && code == MPI_SUCCESS; local++) {
        const char *next = operand(run, local, run->at);
        char *landed = run->bench.elements[0];
        if (vector->stored.packed && (code = topo_vector_fetch(vector, next, landed, run->count)) == MPI_SUCCESS)
            next = landed;
        if (code == MPI_SUCCESS)
            code = PMPI_Reduce_local(next, vector->result, (int)run->count, vector->type, vector->op);
    }
    return code;
}

static int with_buffer(struct run *run, bool alone)
{
    const struct topo_vector *vector = run->vector;
    int local = run->buffer.node->local, ran = MPI_SUCCESS;
    int code = topo_vector_store(vector, topo_vector_own(vector, 0), operand(run, local, 0), vector->count);
    topo_shm_buffer_arrive(&run->buffer);
    if (!alone && local < run->stripes) {
        topo_shm_buffer_wait_arrived(&run->buffer);
        ran = move_stripe(run, local);
        /* Whatever went wrong here, the others must get on. */
        topo_shm_buffer_add(&run->buffer, 1);
    }
    if (run->count == 0) {
        topo_shm_buffer_leave(&run->buffer);
        return code != MPI_SUCCESS ? code : ran;
    }
    topo_shm_buffer_close(&run->buffer);
    int copied =
        alone ? add_up_alone(run) : topo_vector_fetch(vector, operand(run, 0, run->at), vector->result, run->count);
    return code != MPI_SUCCESS ? code : ran != MPI_SUCCESS ? ran : copied;
}

/* The sum of a vector that is short enough for one buffer. *there is set to false, on all
 * ranks alike and with nothing done, when there is no shared memory. */
static int run_segment(struct run *run, struct topo_comm *comm, bool *there)
{
    const struct topo_layout *layout = &comm->layout;
    size_t bytes = run->vector->count * run->vector->size;
    char *scratch = NULL;
    int code = MPI_ERR_NO_MEM;
    bool alone = layout->nodes == 1 && (run->apart || bytes <= EVERYBODY_MOST);
    run->stripes = topo_node_steps_ranges(bytes, layout->nodes, layout->node_ranks_min);
    run->slot = topo_align(run->vector->count * run->vector->stored.bytes, TOPO_CACHE_LINE);
    size_t longest = stripe_at(run, 1) + 1;
    run->stride = topo_align(longest * run->vector->stored.bytes, TOPO_CACHE_LINE);
    size_t requests = topo_align((size_t)topo_node_steps_requests(run->steps) * sizeof *run->request, TOPO_CACHE_LINE);
    if (!topo_bench_open(&run->bench, run->vector, alone ? run->vector->count : longest))
        return code;
    if (comm->node->local < run->stripes) {
        scratch = topo_scratch_take(requests + (size_t)run->steps->receives * run->stride);
        if (!scratch)
            goto out;
        run->request = (MPI_Request *)scratch;
        run->received = scratch + requests;
    }
    *there = topo_shm_buffer_open(&run->buffer, comm->node, (size_t)layout->node_ranks_max * run->slot,
                                  alone ? 0 : run->stripes);
    code = *there ? with_buffer(run, alone) : MPI_SUCCESS;
out:
    topo_scratch_give(scratch);
    topo_bench_close(&run->bench);
    return code;
}

int topo_node_sum(struct topo_comm *comm, const struct topo_vector *whole, const struct topo_node_steps *steps,
                  const struct topo_result_range *range, bool *there)
{
    struct run run = {.comm = comm, .steps = steps, .apart = range->apart};
    size_t segment = whole->size && SEGMENT / whole->size > 1 ? SEGMENT / whole->size : 1;
    int code = MPI_SUCCESS;
    *there = true;
    for (size_t at = 0; at < whole->count && *there && code == MPI_SUCCESS; at += segment) {
        struct topo_vector part = *whole;
        part.count = whole->count - at < segment ? whole->count - at : segment;
        size_t from = at > range->first ? at : range->first, end = at + part.count;
        end = end < range->end ? end : range->end;
        run.at = from - at;
        run.count = end > from ? end - from : 0;
        part.input = topo_vector_own(whole, at);
        if (run.count > 0)
            part.result = topo_vector_at(whole, whole->result, from - range->first);
        run.vector = &part;
        code = run_segment(&run, comm, there);
    }
    return code; /* not *there in the first segment, if at all, as later ones need no more */
}
