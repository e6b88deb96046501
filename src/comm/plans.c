#include "comm/plans.h"

#include "comm/comm.h"
#include "job/job.h"
#include "plan/exchange.h"
#include "plan/gather.h"
#include "plan/scan.h"
#include "plan/sum_ranks.h"

static bool is_for(const struct topo_kept_plan *kept, topo_plan_function *form, const struct topo_plan_input *in)
{
    const struct topo_plan_input *call = &kept->call;
    return kept->form == form && call->root == in->root && call->bytes == in->bytes && call->stripes == in->stripes &&
           call->stripe == in->stripe && call->element == in->element && call->parts == in->parts &&
           call->shares == in->shares && call->grid == in->grid && call->uneven == in->uneven &&
           call->packets.pieces == in->packets.pieces && call->packets.blocks == in->packets.blocks &&
           call->packets.ahead == in->packets.ahead && call->ordered == in->ordered && call->trees == in->trees &&
           call->direct == in->direct && call->scatters == in->scatters && call->oversubscribed == in->oversubscribed &&
           call->numbers.rank == in->numbers.rank && call->numbers.of == in->numbers.of &&
           topo_parameters_equal(&call->parameters, &in->parameters);
}

static int position_of(const void *of, int rank)
{
    (void)rank; /* this one */
    return ((const struct topo_comm *)of)->position;
}

static int rank_in_place(const void *of, int place)
{
    return topo_tree_rank(((const struct topo_comm *)of)->tree, place);
}

static int number_of(const void *of, int rank)
{
    return topo_renumbering_number(of, rank);
}

static int rank_with_number(const void *of, int number)
{
    return topo_renumbering_rank_at(of, number);
}

struct topo_plan_numbers topo_comm_numbers(const struct topo_comm *comm, enum topo_algorithm_id id)
{
    const struct topo_algorithm *row = topo_algorithm(id);
    enum topo_renumbering_extent extent =
        row->traits & TOPO_TRAIT_NEIGHBOURS ? TOPO_RENUMBERING_NEIGHBOURS : TOPO_RENUMBERING_WHOLE;
    if (topo_plan_is_in_tree_order(id))
        return (struct topo_plan_numbers){position_of, rank_in_place, comm};
    if (row->graph == TOPO_GRAPH_NONE)
        return (struct topo_plan_numbers){NULL, NULL, NULL};
    return (struct topo_plan_numbers){number_of, rank_with_number, comm->renumbering[row->graph][extent]};
}

static enum topo_status make(const struct topo_comm *comm, topo_plan_function *form, struct topo_plan_input in,
                             struct topo_plan *plan)
{
    struct topo_node *node = comm->node;
    const bool halves = topo_plan_is_halving(form),
               by_nodes =
                   !topo_plan_is_by_rank(form) && !topo_plan_sums_by_rank(form) && !topo_plan_is_scan(form);
    const bool divides = by_nodes && !topo_plan_is_exchange(form);
    in.tree = comm->tree;
    in.levels = by_nodes ? node->levels : NULL;
    in.divided =
        divides ? topo_node_levels(node, topo_given(in.parameters.radix, topo_plan_radix(form, node->levels))) : NULL;
    in.halving = halves ? topo_node_halving(node) : NULL;
    in.rank = comm->rank;
    topo_plan_clear(plan);
    return (in.divided || !divides) && (!halves || in.halving) ? form(&in, plan) : TOPO_NOMEM;
}

const struct topo_plan *topo_comm_plan(struct topo_comm *comm, topo_plan_function *form,
                                       const struct topo_plan_input *call)
{
    struct topo_plans *plans = &comm->plans;
    struct topo_plan_input in = *call;
    in.oversubscribed = topo_job.oversubscribed;
    in.parameters = comm->call.parameters;
    in.parameters.radix = topo_given(in.parameters.radix, call->parameters.radix);
    for (int i = 0; i < TOPO_PLANS_KEPT; i++)
        if (is_for(&plans->kept[i], form, &in)) {
            plans->next = plans->next == i ? (i + 1) % TOPO_PLANS_KEPT : plans->next;
            return &plans->kept[i].plan;
        }
    struct topo_kept_plan *place = &plans->kept[plans->next];
    plans->next = (plans->next + 1) % TOPO_PLANS_KEPT;
    place->form = NULL;
    if (make(comm, form, in, &place->plan) != TOPO_OK)
        return NULL;
    place->form = form;
    place->call = in;
    return &place->plan;
}

void topo_plans_free(struct topo_plans *plans)
{
    for (int i = 0; i < TOPO_PLANS_KEPT; i++)
        topo_plan_free(&plans->kept[i].plan);
    *plans = (struct topo_plans){0};
}
