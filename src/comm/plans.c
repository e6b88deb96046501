#include "comm/plans.h"

#include "comm/comm.h"
#include "job/job.h"

static bool is_for(const struct topo_kept_plan *kept, const struct topo_kept_plan *wanted)
{
    return kept->made && kept->id == wanted->id && kept->root == wanted->root && kept->bytes == wanted->bytes &&
           kept->shares == wanted->shares && topo_parameters_equal(&kept->parameters, &wanted->parameters);
}

static enum topo_status make(const struct topo_comm *comm, const struct topo_kept_plan *wanted, struct topo_plan *plan)
{
    struct topo_node *node = comm->node;
    const struct topo_plan_input in = {
        .tree = comm->tree,
        .levels = node->levels,
        .divided = topo_node_levels(node, topo_given(wanted->parameters.radix, TOPO_RADIX)),
        .halving = wanted->id == TOPO_ALGORITHM_bcast_halving ? topo_node_halving(node) : NULL,
        .root = wanted->root,
        .rank = comm->rank,
        .bytes = wanted->bytes,
        .shares = wanted->shares,
        .oversubscribed = topo_job.oversubscribed,
        .parameters = wanted->parameters};
    topo_plan_clear(plan);
    if (!in.divided || (wanted->id == TOPO_ALGORITHM_bcast_halving && !in.halving))
        return TOPO_NOMEM;
    return topo_plan_of(wanted->id)(&in, plan);
}

const struct topo_plan *topo_comm_plan(struct topo_comm *comm, enum topo_algorithm_id id, int root, size_t bytes,
                                       bool shares)
{
    struct topo_plans *plans = &comm->plans;
    struct topo_kept_plan wanted = {
        .made = true, .id = id, .root = root, .bytes = bytes, .shares = shares, .parameters = comm->call.parameters};
    for (int i = 0; i < TOPO_PLANS_KEPT; i++)
        if (is_for(&plans->kept[i], &wanted))
            return &plans->kept[i].plan;
    struct topo_kept_plan *place = &plans->kept[plans->next];
    plans->next = (plans->next + 1) % TOPO_PLANS_KEPT;
    place->made = false;
    if (make(comm, &wanted, &place->plan) != TOPO_OK)
        return NULL;
    wanted.plan = place->plan;
    *place = wanted;
    return &place->plan;
}

void topo_plans_free(struct topo_plans *plans)
{
    for (int i = 0; i < TOPO_PLANS_KEPT; i++)
        topo_plan_free(&plans->kept[i].plan);
    *plans = (struct topo_plans){0};
}
