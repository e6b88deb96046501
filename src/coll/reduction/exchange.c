/* A stripe's sum between the nodes, by a plan (plan/forms.h). By trees and on a circulant graph equal calls have equal
 * bits, but those of an element depend on its place in the vector, and are not those of the other forms. */
#include "base/align.h"
#include "base/copy.h"
#include "coll/engine/engine.h"
#include "coll/reduction/node_sum.h"
#include "job/job.h"
#include "patterns/limits.h"
#include "patterns/node_steps.h"

static int add_own(const void *of, size_t at, size_t count)
{
    return topo_node_stripe_add(of, at, count);
}

/* In one pass, the node's own sum first. */
static int add(const void *of, size_t at, size_t count, const char *here, char *const *landed, int number, int own)
{
    const struct topo_node_stripe *stripe = of;
    char *sum = topo_stored_at(stripe->vector, stripe->sum, at);
    struct topo_pass pass = topo_pass_begin(stripe->bench, stripe->vector, sum, sum, count);
    int code = MPI_SUCCESS;
    (void)here;
    (void)own;
    for (int i = 0; i < number && code == MPI_SUCCESS; i++)
        code = topo_pass_add(&pass, landed[i]);
    return code == MPI_SUCCESS ? topo_pass_end(&pass) : code;
}

/* One after the other, in the place of the first: several nodes add up the same, and must do it alike for NaNs to come
 * out alike. */
static int add_in_order(const void *of, size_t at, size_t count, const char *here, char *const *landed, int number,
                        int own)
{
    const struct topo_node_stripe *stripe = of;
    char *sum = topo_stored_at(stripe->vector, stripe->sum, at), *total = own == 0 ? sum : landed[0];
    int code = MPI_SUCCESS;
    (void)here;
    for (int i = 1; i <= number && code == MPI_SUCCESS; i++)
        code = topo_bench_add(stripe->bench, stripe->vector,
                              i < own    ? landed[i]
                              : i == own ? sum
                                         : landed[i - 1],
                              total, count);
    if (total != sum)
        topo_copy(sum, total, count * stripe->vector->stored.bytes, false);
    return code;
}

size_t topo_node_exchange_segment(const struct topo_node_exchange *exchange, int ranks)
{
    enum { WHOLE_MOST = 262144 };
    size_t segment = topo_sum_segment(ranks);
    return exchange->plan == topo_plan_sum_leader && segment > WHOLE_MOST ? WHOLE_MOST : segment;
}

/* What the plan is made from. Sums that are exchanged whole go in parts; where blocks are counted, lengths do not
 * matter.
 */
static struct topo_plan_input input_of(const struct topo_node_exchange *exchange, const struct topo_node_stripe *stripe)
{
    const struct topo_vector *vector = stripe->vector;
    const size_t bytes = stripe->count * vector->stored.bytes;
    const bool whole = exchange->plan == topo_plan_sum_leader, counted = exchange->plan == topo_plan_sum_halving;
    struct topo_plan_input in = {
        .root = exchange->root, .stripes = stripe->stripes, .stripe = stripe->comm->node->local};
    if (whole)
        in.parts = vector->whole
                       ? 1
                       : topo_node_steps_parts(bytes, stripe->comm->layout.node_ranks_max, topo_job.oversubscribed);
    else if (!counted) {
        in.bytes = bytes;
        in.element = vector->stored.bytes;
    }
    return in;
}

int topo_node_exchange_run(const struct topo_node_exchange *exchange, const struct topo_node_stripe *stripe)
{
    const struct topo_vector *vector = stripe->vector;
    const struct topo_plan_input in = input_of(exchange, stripe);
    if (stripe->count == 0)
        return MPI_SUCCESS;
    const struct topo_plan *kept = topo_comm_plan(stripe->comm, exchange->plan, &in);
    if (!kept)
        return MPI_ERR_NO_MEM;
    struct topo_plan plan = *kept;
    plan.cut.bytes = stripe->count;
    plan.element = vector->stored.bytes;
    const struct topo_engine_vector elements = {.base = stripe->sum,
                                                .bytes = vector->stored.bytes,
                                                .type = vector->stored.wire,
                                                .units = (size_t)topo_stored_units(vector, 1)};
    const bool ordered = exchange->plan == topo_plan_sum_leader || exchange->plan == topo_plan_sum_halving;
    const struct topo_engine_sums sums = {.add_own = add_own, .add = ordered ? add_in_order : add, .of = stripe};
    return topo_engine_run(stripe->comm, &plan, &elements, &sums);
}
