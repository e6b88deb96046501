#include "plan/together.h"

#include "base/memory.h"
#include "plan/gather.h"

/* What the plans of one call are made from: levels, and the part of each node in exchanges by halving. */
struct nodes {
    struct topo_levels *levels, *divided;
    struct topo_halving *halving; /* of `node` */
    int node;
};

static enum topo_status make(topo_plan_function *form, struct topo_plan_input *in, struct nodes *nodes,
                             struct topo_plan *plan)
{
    int node = topo_plan_node(in);
    if (in->stripes > 0 && !topo_plan_sums_in_rounds(form) && !topo_plan_drives(in))
        return TOPO_OK;
    if (topo_plan_is_halving(form) && node != nodes->node) {
        topo_halving_free(nodes->halving);
        nodes->halving = NULL;
        nodes->node = node;
        if (topo_halving_new(nodes->divided, node, &nodes->halving) != TOPO_OK)
            return TOPO_NOMEM;
    }
    in->halving = nodes->halving;
    return form(in, plan);
}

enum topo_status topo_plans_make_all(const struct topo_tree *tree, topo_plan_function *form,
                                     const struct topo_plan_input *call, struct topo_plan **plan)
{
    struct nodes nodes = {.node = -1};
    struct topo_plan_input in = *call;
    *plan = topo_calloc((size_t)tree->ranks + 1, sizeof **plan); /* the last one keeps the levels, which outlive them */
    bool good = *plan && topo_levels_new(tree, 0, &nodes.levels) == TOPO_OK &&
                topo_levels_new(tree, topo_given(call->parameters.radix, topo_plan_radix(form, nodes.levels)),
                                &nodes.divided) == TOPO_OK;
    in.tree = tree;
    in.levels = nodes.levels;
    in.divided = nodes.divided;
    for (int at = 0; good && at < tree->ranks; at++) {
        in.rank = topo_tree_rank(tree, at);
        good = make(form, &in, &nodes, &(*plan)[in.rank]) == TOPO_OK;
    }
    topo_halving_free(nodes.halving);
    topo_levels_free(nodes.divided);
    if (*plan)
        (*plan)[tree->ranks].round.levels = nodes.levels;
    else
        topo_levels_free(nodes.levels);
    if (!good) {
        topo_plans_free_all(tree, *plan);
        *plan = NULL;
    }
    return good ? TOPO_OK : TOPO_NOMEM;
}

enum topo_status topo_plans_in_windows(const struct topo_tree *tree, const struct topo_plan_input *call, bool differ,
                                       int rounds, int windows, struct topo_plan *plan)
{
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    if (topo_levels_new(tree, 0, &levels) != TOPO_OK)
        return TOPO_NOMEM;
    const enum topo_path_kind kind =
        topo_gather_lanes_cut(levels, call->oversubscribed, call->bytes / (size_t)tree->ranks).kind;
    for (int rank = 0; rank < tree->ranks; rank++)
        plan[rank] = topo_plan_in_windows(&plan[rank], levels, kind, call->oversubscribed, differ, rounds, windows);
    return TOPO_OK;
}

void topo_plans_free_all(const struct topo_tree *tree, struct topo_plan *plan)
{
    for (int rank = 0; plan && rank < tree->ranks; rank++)
        topo_plan_free(&plan[rank]);
    if (plan)
        topo_levels_free((struct topo_levels *)plan[tree->ranks].round.levels);
    topo_free(plan);
}

enum topo_status topo_plans_mapping(const struct topo_tree *tree, enum topo_algorithm_id id,
                                    struct topo_mapping **mapping, struct topo_error *error)
{
    enum topo_graph_kind graph = topo_plan_is_in_tree_order(id) ? TOPO_GRAPH_RING : topo_algorithm(id)->graph;
    *mapping = NULL;
    return graph == TOPO_GRAPH_NONE ? TOPO_OK : topo_mapping_build(tree, graph, TOPO_PARTITIONER_AUTO, mapping, error);
}

static int number_of(const void *of, int rank)
{
    return ((const struct topo_mapping *)of)->pi[rank];
}

static int rank_of(const void *of, int number)
{
    return ((const struct topo_mapping *)of)->pi_inverse[number];
}

struct topo_plan_numbers topo_plans_numbers(const struct topo_mapping *mapping)
{
    if (!mapping)
        return (struct topo_plan_numbers){NULL, NULL, NULL};
    return (struct topo_plan_numbers){number_of, rank_of, mapping};
}
