/* Sums for one node by the plan of a broadcast backwards (plan/bcast.h), block by block on a circulant graph or up
 * several trees at a time: what comes is added to the node's own sum as the plan has it, all of a block over all its
 * edges in one pass. Equal calls have equal bits, but those of an element depend on its place in the vector, and are
 * not those of the other forms. */
#include "base/align.h"
#include "coll/engine/engine.h"
#include "coll/reduction/node_sum.h"
#include "patterns/limits.h"
#include "plan/bcast.h"

/* Blocks of TOPO_SEGMENT_BYTES, or of an element that is longer, that there is room for at a time. */
enum { PLACES = 16 };

static size_t scratch(const void *form, size_t count, size_t bytes, int nodes)
{
    (void)form;
    (void)count;
    (void)nodes;
    return PLACES * topo_align(bytes < TOPO_SEGMENT_BYTES ? TOPO_SEGMENT_BYTES : bytes, TOPO_CACHE_LINE);
}

static int add_own(const void *of, size_t at, size_t count)
{
    return topo_node_stripe_add(of, at, count);
}

static int add(const void *of, size_t at, size_t count, char *const *landed, int number)
{
    const struct topo_node_stripe *stripe = of;
    char *sum = topo_stored_at(stripe->vector, stripe->sum, at);
    struct topo_pass pass = topo_pass_begin(stripe->bench, stripe->vector, sum, sum, count);
    int code = MPI_SUCCESS;
    for (int i = 0; i < number && code == MPI_SUCCESS; i++)
        code = topo_pass_add(&pass, landed[i]);
    return code == MPI_SUCCESS ? topo_pass_end(&pass) : code;
}

static int run(const void *form, const struct topo_node_stripe *stripe)
{
    const struct topo_exchange_target *target = form;
    const struct topo_vector *vector = stripe->vector;
    const struct topo_comm *comm = stripe->comm;
    const struct topo_plan_input in = {.tree = comm->tree,
                                       .levels = comm->node->levels,
                                       .root = topo_tree_rank(comm->tree, comm->node->levels->start[target->root]),
                                       .rank = comm->rank,
                                       .bytes = stripe->count * vector->stored.bytes,
                                       .stripes = stripe->stripes,
                                       .stripe = comm->node->local,
                                       .element = vector->stored.bytes,
                                       .oversubscribed = target->oversubscribed,
                                       .parameters.segment = target->segment};
    struct topo_plan plan = {0};
    int code = MPI_ERR_NO_MEM;
    if (stripe->count == 0)
        return MPI_SUCCESS;
    if (target->plan(&in, &plan) == TOPO_OK) {
        const struct topo_engine_vector elements = {stripe->sum, vector->stored.bytes, vector->stored.wire,
                                                    (size_t)topo_stored_units(vector, 1)};
        const struct topo_engine_sums sums = {.add_own = add_own,
                                              .add = add,
                                              .of = stripe,
                                              .landed = stripe->scratch,
                                              .stride =
                                                  topo_align(plan.cut.segment * vector->stored.bytes, TOPO_CACHE_LINE)};
        code = topo_engine_run(comm, &plan, &elements, &sums);
    }
    topo_plan_free(&plan);
    return code;
}

struct topo_node_exchange topo_exchange_plan(const struct topo_exchange_target *target, int ranks)
{
    return (struct topo_node_exchange){
        .segment = topo_sum_segment(ranks), .form = target, .scratch = scratch, .run = run};
}
