/* Sums exchanged whole, level by level (patterns/node_steps.h). They are added in the order of the units of every
 * level, whichever node adds: the same bits for all ranks and all roots, which depend on nothing but the layout. */
#include "base/align.h"
#include "base/copy.h"
#include "coll/base/node_steps.h"
#include "coll/base/transport.h"
#include "coll/reduction/node_sum.h"
#include "patterns/limits.h"

enum { SEGMENT_MOST = 262144 };

static size_t requests_of(const struct topo_node_steps *steps)
{
    return topo_align((size_t)topo_node_steps_requests(steps) * sizeof(MPI_Request), TOPO_CACHE_LINE);
}

/* One step with `count` elements: *sum is this unit's sum and becomes the group's where the others' come in;
 * `received` has room for them. */
static int run_step(const struct topo_node_stripe *stripe, const struct topo_node_steps *steps,
                    const struct topo_node_step *step, char **sum, char *received, size_t stride)
{
    const struct topo_node_message *in = &steps->message[step->receive];
    const struct topo_node_message *out = &steps->message[step->send];
    const struct topo_vector *vector = stripe->vector;
    MPI_Request *request = (MPI_Request *)stripe->scratch;
    size_t count = stripe->count;
    int started = 0, code = MPI_SUCCESS, units = topo_stored_units(vector, count);
    for (int i = 0; i < step->receives && code == MPI_SUCCESS; i++, started += code == MPI_SUCCESS)
        code =
            topo_irecv_typed(received + (size_t)i * stride, units, vector->stored.wire,
                             topo_node_stripe_peer(stripe, in[i].node), TOPO_TAG, vector->channel, &request[started]);
    for (int i = 0; i < step->sends && code == MPI_SUCCESS; i++, started += code == MPI_SUCCESS)
        code = topo_isend_typed(*sum, units, vector->stored.wire, topo_node_stripe_peer(stripe, out[i].node), TOPO_TAG,
                                vector->channel, &request[started]);
    int waited = PMPI_Waitall(started, request, MPI_STATUSES_IGNORE);
    if (code == MPI_SUCCESS)
        code = waited;
    if (step->receives == 0)
        return code;
    char *total = NULL, *next = received;
    for (int unit = 0; unit < step->units && code == MPI_SUCCESS; unit++) {
        char *operands = unit == step->mine ? *sum : next;
        next += unit == step->mine ? 0 : stride;
        if (total)
            code = topo_bench_add(stripe->bench, vector, operands, total, count);
        else
            total = operands;
    }
    *sum = total;
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
    size_t bytes = stripe->count * stripe->vector->stored.bytes, stride = topo_align(bytes, TOPO_CACHE_LINE);
    char *sum = stripe->sum, *received = stripe->scratch + requests_of(steps);
    int code = topo_node_stripe_add(stripe, 0, stripe->count);
    for (int r = 0; r < steps->count && code == MPI_SUCCESS; r++) {
        code = run_step(stripe, steps, &steps->step[r], &sum, received, stride);
        received += (size_t)steps->step[r].receives * stride;
    }
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
