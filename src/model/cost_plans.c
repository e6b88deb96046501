/* Costs of the forms that have plans: their prices. What a node does by halving takes the nodes' number of steps to
 * find, so its price would take the square: it has a formula. */
#include "model/cost_parts.h"
#include "model/price.h"

static struct topo_plan_input call_of(const struct topo_cost_input *in, size_t bytes)
{
    const int most = topo_tree_node_ranks_most(in->tree);
    return (struct topo_plan_input){.bytes = bytes > 0 ? bytes : 1,
                                    .root = topo_cost_root(in),
                                    .shares = true,
                                    .oversubscribed = topo_params_oversubscribed(in->params, in->tree->ranks, most),
                                    .parameters = in->call->parameters};
}

static double bcast(const struct topo_cost_input *in, topo_plan_function *form)
{
    if (topo_plan_is_halving(form))
        return topo_cost_halved_bcast(in);
    const struct topo_plan_input call = call_of(in, in->call->bytes);
    return topo_price(in->tree, in->params, form, &call);
}

#define BCAST(name, ...) \
    double topo_cost_bcast_##name(const struct topo_cost_input *in) \
    { \
        return bcast(in, topo_plan_bcast_##name); \
    }
#include "catalog/algorithms.def"

/* Of elements of 8 bytes, all stripes together. */
static double reduce(const struct topo_cost_input *in, topo_plan_function *form)
{
    enum { ELEMENT = 8 };
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    if (topo_levels_new(in->tree, 0, &levels) != TOPO_OK)
        return -1;
    struct topo_plan_input call = call_of(in, in->call->bytes);
    call.element = ELEMENT;
    call.stripes = topo_cost_node_sum_of(in, levels, (double)in->call->bytes).stripes;
    call.bytes = ((call.bytes - 1) / (size_t)call.stripes / ELEMENT + 1) * ELEMENT;
    return topo_price(in->tree, in->params, form, &call);
}

double topo_cost_reduce_trees(const struct topo_cost_input *in)
{
    return reduce(in, topo_plan_reduce_trees);
}

double topo_cost_reduce_circulant(const struct topo_cost_input *in)
{
    return reduce(in, topo_plan_reduce_circulant);
}

/* A sum for all of one element, which is nothing to speak of. */
double topo_cost_barrier_tree(const struct topo_cost_input *in)
{
    struct topo_plan_input call = call_of(in, 0);
    call.root = -1;
    call.stripes = call.parts = 1;
    call.element = 1;
    call.parameters.radix = (size_t)topo_given(call.parameters.radix, topo_plan_radix_of(TOPO_ALGORITHM_barrier_tree));
    return topo_price(in->tree, in->params, topo_plan_barrier_tree, &call);
}

/* Of a block of so many bytes to, or from, each rank. */
static double rooted(const struct topo_cost_input *in, enum topo_algorithm_id id)
{
    struct topo_plan_input call = call_of(in, in->call->bytes * (size_t)in->tree->ranks);
    call.shares = false;
    return topo_price(in->tree, in->params, topo_plan_of(id), &call);
}

#define ROOTED(operation, name) \
    double topo_cost_##operation##_##name(const struct topo_cost_input *in) \
    { \
        return rooted(in, TOPO_ALGORITHM_##operation##_##name); \
    }
ROOTED(gather, leader)
ROOTED(gather, direct)
ROOTED(scatter, leader)
ROOTED(scatter, direct)
ROOTED(gatherv, direct)
ROOTED(scatterv, direct)

/* Lengths travel ahead of the blocks, which begin one message later. */
static double varying(const struct topo_cost_input *in, enum topo_algorithm_id id)
{
    const double blocks = rooted(in, id);
    if (blocks < 0)
        return blocks;
    topo_load_message(in->load, topo_tree_rank(in->tree, in->tree->ranks - 1), topo_tree_rank(in->tree, 0), 8);
    return blocks + topo_load_step(in->load);
}

double topo_cost_gatherv_leader(const struct topo_cost_input *in)
{
    return varying(in, TOPO_ALGORITHM_gatherv_leader);
}

double topo_cost_scatterv_leader(const struct topo_cost_input *in)
{
    return varying(in, TOPO_ALGORITHM_scatterv_leader);
}
