/* Prices from plans: by hand; a long vector's as if all of it were looked at; what a watcher is told. */
#include "machines.h"
#include "params.h"

#include <math.h>

#include "model/price.h"
#include "plan/together.h"

static double price(const struct topo_tree *tree, const struct topo_params *params, enum topo_algorithm_id id,
                    size_t bytes, int root)
{
    const struct topo_plan_input call = {.bytes = bytes, .root = root, .shares = true};
    return topo_price(tree, params, topo_plan_of(id), &call);
}

/* Nodes of one rank, latency 8 s, 1024 bytes a second. */
START_TEST(by_hand)
{
    struct topo_tree *tree = machine_of("node:4");
    struct topo_params params;
    simple(&params);
    /* One segment passes three nodes. */
    ck_assert_double_eq(price(tree, &params, TOPO_ALGORITHM_bcast_chain, 2048, 0), 3 * (8 + 2));
    /* The root sends to three at once. */
    ck_assert_double_eq(price(tree, &params, TOPO_ALGORITHM_bcast_leader, 2048, 1), 8 + 6);
    /* To two, of which one sends it on: the tree is binomial. */
    ck_assert_double_eq(price(tree, &params, TOPO_ALGORITHM_bcast_circulant, 2048, 3), (8 + 4) + (8 + 2));
    topo_tree_free(tree);
}
END_TEST

static bool is_priced(int id)
{
    return topo_algorithm(id)->operation == TOPO_OPERATION_bcast && topo_plan_of(id) &&
           !topo_plan_is_halving(topo_plan_of(id));
}

struct told {
    int ends;
    double last;
};

static void tell(void *context, int rank, int task, const struct topo_step *step, double begin, double end)
{
    struct told *told = context;
    ck_assert(rank >= 0 && task >= 0 && step->count >= 0 && begin >= 0 && end >= begin);
    told->ends++;
    told->last = fmax(told->last, end);
}

static double watched(const struct topo_tree *tree, const struct topo_params *params, topo_plan_function *form,
                      const struct topo_plan_input *call, struct told *told)
{
    struct topo_plan *plan;
    const struct topo_price_watch watch = {tell, told};
    ck_assert_int_eq(topo_plans_make_all(tree, form, call, &plan), TOPO_OK);
    double seconds = topo_price_watched(tree, params, plan, call, &watch);
    topo_plans_free_all(tree, plan);
    return seconds;
}

/* Of a short vector all blocks are looked at. Of a long one what is not takes as long as what is, less what a stream
 * takes until it is steady: some per cent, and half at most where there are few blocks, or long windows. */
START_TEST(all_blocks)
{
    static const size_t sizes[] = {1, 100, 5000, 70000, 700000, 6000000};
    struct topo_tree *tree = machine(_i);
    struct topo_params params;
    topo_params_default(&params);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        for (int i = 0; is_priced(id) && i < 6; i++) {
            const struct topo_plan_input call = {
                .bytes = sizes[i], .root = (i * 7 + _i) % tree->ranks, .shares = i % 4 < 3, .oversubscribed = i == 4};
            struct told told = {0};
            double priced = topo_price(tree, &params, topo_plan_of(id), &call);
            double all = watched(tree, &params, topo_plan_of(id), &call, &told);
            ck_assert_msg(priced >= 0 && (tree->ranks == 1 || priced > 0), "%s has a price", topo_algorithm(id)->name);
            ck_assert_msg(fabs(priced - all) <= (sizes[i] > 5000 ? 0.5 * all : 0),
                          "%s of %zu bytes on machine %d: %g s, block by block %g", topo_algorithm(id)->name, sizes[i],
                          _i, priced, all);
            ck_assert(priced == topo_price(tree, &params, topo_plan_of(id), &call));
            ck_assert_msg(tree->ranks == 1 || told.ends >= tree->ranks, "a position of each rank is told of");
            ck_assert_double_le(told.last, all);
        }
    topo_tree_free(tree);
}
END_TEST

/* One stripe of each reduction has a price by its plans, halving too where they are made. */
START_TEST(sums)
{
    static const struct {
        topo_plan_function *form;
        int root;
    } forms[] = {{topo_plan_reduce_trees, 0}, {topo_plan_reduce_circulant, 0}, {topo_plan_sum_leader, 0},
                 {topo_plan_sum_leader, -1},  {topo_plan_sum_halving, 0},      {topo_plan_sum_halving, -1},
                 {topo_plan_barrier_tree, -1}};
    struct topo_tree *tree = machine(_i);
    struct topo_params params;
    topo_params_default(&params);
    for (size_t i = 0; i < 3 * sizeof forms / sizeof *forms; i++) {
        topo_plan_function *form = forms[i / 3].form;
        const struct topo_plan_input call = {.bytes = (size_t[]){8, 6400, 720000}[i % 3],
                                             .root = forms[i / 3].root,
                                             .stripes = 1,
                                             .element = 8,
                                             .parts = 1};
        struct told told = {0};
        double all = watched(tree, &params, form, &call, &told);
        ck_assert_msg(all >= 0, "form %zu, %zu bytes, machine %d", i / 3, call.bytes, _i);
        ck_assert_double_le(told.last, all);
        if (topo_plan_is_halving(form))
            continue;
        double priced = topo_price(tree, &params, form, &call);
        ck_assert_msg(fabs(priced - all) <= (i % 3 > 1 ? 0.5 * all : 0), "form %zu, %zu bytes on machine %d: %g s, %g",
                      i / 3, call.bytes, _i, priced, all);
    }
    topo_tree_free(tree);
}
END_TEST

/* It says that memory is out. */
START_TEST(without_memory)
{
    struct topo_tree *tree = machine_of("node:3 core:4,3,2");
    struct topo_params params;
    topo_params_default(&params);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        if (!is_priced(id))
            continue;
        const double expected = price(tree, &params, id, 100000, 0);
        double seconds;
        UNIT_OUT_OF_MEMORY((seconds = price(tree, &params, id, 100000, 0)) < 0 ? TOPO_NOMEM : TOPO_OK,
                           ck_assert(seconds < 0 || seconds == expected));
    }
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("price", {by_hand}, {all_blocks, MACHINES}, {sums, MACHINES}, {without_memory})
