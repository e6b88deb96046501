/* What the nodes of a price do in their memory: each kind of work once, as a step by itself. */
#include "model/cost_parts.h"
#include "model/price_parts.h"

static void rate_copies(const struct topo_cost_input *in, const struct topo_levels *levels,
                        struct topo_price_memory *memory)
{
    topo_cost_copy_all(in, levels, 1, false);
    memory->copies = topo_load_step(in->load);
    for (int node = 0; node < levels->nodes; node++)
        if (topo_node_ranks(levels, node) > 1)
            topo_load_memory(in->load, topo_tree_rank(in->tree, levels->start[node]), in->params->copy, 1, false);
    memory->copy = topo_load_step(in->load);
    topo_cost_shm_copy(in, levels, false);
    memory->flag = topo_load_step(in->load);
}

/* Operands are put in place before; the root, or every rank, takes the sum after. */
static void rate_sums(const struct topo_cost_input *in, const struct topo_levels *levels,
                      const struct topo_plan_input *call, struct topo_price_memory *memory)
{
    const struct topo_cost_node_sum sum = topo_cost_node_sum_of(in, levels, (double)in->call->bytes);
    topo_cost_put_operands(in, levels, &sum);
    topo_cost_shm_copy(in, levels, true);
    memory->start = topo_load_step(in->load);
    topo_cost_add_operands(in, levels, &sum, 1, false);
    memory->own = topo_load_step(in->load);
    for (int node = 0; node < levels->nodes; node++)
        for (int at = levels->start[node]; at < levels->start[node] + sum.stripes; at++)
            topo_cost_add_received(in, &sum, topo_tree_rank(in->tree, at), 1, false);
    memory->add = topo_load_step(in->load);
    if (call->root < 0) {
        topo_cost_shm_copy(in, levels, false);
        topo_cost_give_total(in, levels, &sum, call->scatters ? sum.bytes / in->tree->ranks : sum.bytes);
    } else {
        topo_cost_give_root(in, levels, &sum);
    }
    memory->end = topo_load_step(in->load);
}

enum topo_status topo_price_memory_of(const struct topo_tree *tree, const struct topo_params *params,
                                      const struct topo_levels *levels, const struct topo_plan_input *call,
                                      struct topo_price_memory *memory)
{
    const size_t stripes = call->stripes > 0 ? (size_t)call->stripes : 1;
    const struct topo_cost_call all = {.bytes = call->bytes * stripes, .root = call->root};
    struct topo_cost_input in = {.tree = tree, .params = params, .call = &all, .order = &tree->order};
    *memory = (struct topo_price_memory){0};
    if (topo_load_new(tree, params, &in.load, NULL) != TOPO_OK)
        return TOPO_NOMEM;
    if (call->stripes > 0)
        rate_sums(&in, levels, call, memory);
    else if (call->element > 0) /* by rank */
        memory->add = params->gamma;
    else
        rate_copies(&in, levels, memory);
    topo_load_free(in.load);
    return TOPO_OK;
}
