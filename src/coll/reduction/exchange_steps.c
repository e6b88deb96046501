/* Sums exchanged whole, level by level (patterns/node_steps.h). They are added in the order of the units of every
 * level, whichever node adds: the same bits for all ranks and all roots, which depend on nothing but the layout.
 *
 * A long vector goes in parts, so that a node adds up its ranks' operands and each level's sums of one while others are
 * on their way. All is received from the start: where a message waits for its receiver nobody waits for a step. */
#include "base/align.h"
#include "base/copy.h"
#include "coll/base/transport.h"
#include "coll/reduction/node_sum.h"
#include "job/job.h"
#include "patterns/limits.h"
#include "patterns/node_steps.h"

enum { SEGMENT_MOST = 262144 };

/* One call. Requests are those of the first step's first part, received and sent, then its other parts', then those of
 * the next step. */
struct work {
    const struct topo_node_stripe *stripe;
    const struct topo_node_steps *steps;
    int parts;
    size_t stride; /* bytes of a place for a sum that is received */
    MPI_Request *request;
};

/* Bytes of all requests, of as many parts as there may be. */
static size_t requests_of(const struct topo_node_steps *steps)
{
    return topo_align((size_t)steps->messages * TOPO_NODE_STEPS_PARTS_MOST * sizeof(MPI_Request), TOPO_CACHE_LINE);
}

/* First element of a part, and how many it has. */
static size_t part_at(const struct work *work, int part)
{
    return work->stripe->count * (size_t)part / (size_t)work->parts;
}

static size_t part_count(const struct work *work, int part)
{
    return part_at(work, part + 1) - part_at(work, part);
}

static char *place(const struct work *work, char *sum, int part)
{
    return topo_stored_at(work->stripe->vector, sum, part_at(work, part));
}

/* All messages of a step's part, those that are received first; `request` is where the step's begin. */
static MPI_Request *requests_at(const struct topo_node_step *step, MPI_Request *request, int part)
{
    return request + part * (step->receives + step->sends);
}

static int receive(const struct work *work, const struct topo_node_step *step, char *received, MPI_Request *request)
{
    const struct topo_vector *vector = work->stripe->vector;
    const struct topo_node_message *in = &work->steps->message[step->receive];
    int code = MPI_SUCCESS;
    for (int part = 0; part < work->parts; part++)
        for (int i = 0; i < step->receives && code == MPI_SUCCESS; i++)
            code = topo_irecv_typed(place(work, received + (size_t)i * work->stride, part),
                                    topo_stored_units(vector, part_count(work, part)), vector->stored.wire,
                                    topo_node_stripe_peer(work->stripe, in[i].node), TOPO_TAG, vector->channel,
                                    &requests_at(step, request, part)[i]);
    return code;
}

static int send(const struct work *work, const struct topo_node_step *step, char *sum, int part, MPI_Request *request)
{
    const struct topo_vector *vector = work->stripe->vector;
    const struct topo_node_message *out = &work->steps->message[step->send];
    int code = MPI_SUCCESS;
    for (int i = 0; i < step->sends && code == MPI_SUCCESS; i++)
        code = topo_isend_typed(place(work, sum, part), topo_stored_units(vector, part_count(work, part)),
                                vector->stored.wire, topo_node_stripe_peer(work->stripe, out[i].node), TOPO_TAG,
                                vector->channel, &requests_at(step, request, part)[step->receives + i]);
    return code;
}

/* Where a step leaves the sum of its units: in the place of the first one's. */
static char *total_of(const struct topo_node_step *step, char *sum, char *received)
{
    return step->receives == 0 || step->mine == 0 ? sum : received;
}

/* Waits for a part's messages and adds up what came. */
static int add(const struct work *work, const struct topo_node_step *step, char *sum, char *received, int part,
               MPI_Request *request)
{
    char *total = total_of(step, sum, received), *next = received;
    int code = PMPI_Waitall(step->receives + step->sends, requests_at(step, request, part), MPI_STATUSES_IGNORE);
    for (int unit = 0; step->receives > 0 && unit < step->units && code == MPI_SUCCESS; unit++) {
        char *operands = unit == step->mine ? sum : next;
        next += unit == step->mine ? 0 : work->stride;
        if (operands != total)
            code = topo_bench_add(work->stripe->bench, work->stripe->vector, place(work, operands, part),
                                  place(work, total, part), part_count(work, part));
    }
    return code;
}

/* Steps one after the other, each part by part; a part's sum is sent as soon as it is there. *sum becomes that of all
 * steps. */
static int run_steps(const struct work *work, char *received, char **sum)
{
    const struct topo_node_stripe *stripe = work->stripe;
    const struct topo_node_step *step = work->steps->step, *end = step + work->steps->count;
    MPI_Request *request = work->request;
    int code = MPI_SUCCESS;
    for (int part = 0; part < work->parts && code == MPI_SUCCESS; part++) {
        code = topo_node_stripe_add(stripe, part_at(work, part), part_count(work, part));
        if (code == MPI_SUCCESS && step < end)
            code = send(work, step, *sum, part, request);
    }
    for (; step < end && code == MPI_SUCCESS; step++) {
        char *total = total_of(step, *sum, received);
        MPI_Request *following = requests_at(step, request, work->parts);
        for (int part = 0; part < work->parts && code == MPI_SUCCESS; part++) {
            code = add(work, step, *sum, received, part, request);
            if (code == MPI_SUCCESS && step + 1 < end)
                code = send(work, step + 1, total, part, following);
        }
        received += (size_t)step->receives * work->stride;
        request = following;
        *sum = total;
    }
    return code;
}

static size_t scratch(const void *form, size_t count, size_t bytes, int nodes)
{
    const struct topo_node_steps *steps = form;
    (void)nodes;
    return requests_of(steps) + (size_t)steps->receives * topo_align(count * bytes, TOPO_CACHE_LINE);
}

static int run(const void *form, const struct topo_node_stripe *stripe)
{
    const struct topo_node_steps *steps = form;
    size_t bytes = stripe->count * stripe->vector->stored.bytes;
    const struct work work = {
        .stripe = stripe,
        .steps = steps,
        .parts = stripe->vector->whole
                     ? 1
                     : topo_node_steps_parts(bytes, stripe->comm->layout.node_ranks_max, topo_job.oversubscribed),
        .stride = topo_align(bytes, TOPO_CACHE_LINE),
        .request = (MPI_Request *)stripe->scratch};
    int requests = steps->messages * work.parts, code = MPI_SUCCESS;
    char *sum = stripe->sum, *first = stripe->scratch + requests_of(steps), *received = first;
    MPI_Request *request = work.request;
    for (int i = 0; i < requests; i++)
        request[i] = MPI_REQUEST_NULL;
    for (int r = 0; r < steps->count && code == MPI_SUCCESS; r++) {
        const struct topo_node_step *step = &steps->step[r];
        code = receive(&work, step, received, request);
        received += (size_t)step->receives * work.stride;
        request = requests_at(step, request, work.parts);
    }
    if (code == MPI_SUCCESS)
        code = run_steps(&work, first, &sum);
    if (code != MPI_SUCCESS) /* others still send, into memory that is given back */
        PMPI_Waitall(requests, work.request, MPI_STATUSES_IGNORE);
    if (code == MPI_SUCCESS && sum != stripe->sum)
        topo_copy(stripe->sum, sum, bytes, false);
    return code;
}

struct topo_node_exchange topo_exchange_steps(const struct topo_node_steps *steps, int ranks)
{
    size_t segment = topo_sum_segment(ranks);
    return (struct topo_node_exchange){
        .segment = segment < SEGMENT_MOST ? segment : SEGMENT_MOST, .form = steps, .scratch = scratch, .run = run};
}
