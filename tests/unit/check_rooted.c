/* Every form of a gather and of a scatter on every machine, from every root: the plans of all ranks bring the root each
 * block once, or each rank its own, and end; and on 64 nodes of 16 a tree takes less than half of the time in which the
 * root handles every block by itself. */
#include "unit.h"

#include <string.h>

#include "machines.h"
#include "model/cost.h"
#include "plan/rooted.h"
#include "plan/together.h"

static bool is_shown(int id)
{
    const enum topo_operation operation = topo_algorithm(id)->operation;
    return topo_plan_of(id) && (operation == TOPO_OPERATION_gather || operation == TOPO_OPERATION_scatter);
}

/* The root's vector has the blocks of all ranks, another rank's its own; `direct`: their numbers are ranks. */
static void check_vectors(const struct topo_tree *tree, const struct topo_plan *plan, int root, bool direct)
{
    const struct topo_plan *roots = &plan[root];
    int *seen = topo_calloc((size_t)tree->ranks, sizeof *seen);
    ck_assert_int_eq(topo_plan_blocks(roots), tree->ranks);
    for (int place = 0; place < tree->ranks; place++)
        ck_assert_int_eq(seen[topo_plan_number_in(roots, place)]++, 0);
    for (int rank = 0; rank < tree->ranks; rank++) {
        const int number = (int)topo_plan_number_in(&plan[rank], plan[rank].own);
        ck_assert_int_eq(direct ? number : topo_tree_rank(tree, number), rank);
    }
    topo_free(seen);
}

static void prove(const struct topo_tree *tree, int id, struct topo_plan_input call, const char *machine)
{
    struct topo_plan *plan;
    struct topo_error error = {""};
    topo_plan_function *form = topo_plan_of(id);
    ck_assert_int_eq(topo_plans_make_all(tree, form, &call, &plan), TOPO_OK);
    ck_assert_msg(topo_plans_together(tree, plan, &error) == TOPO_OK, "%s on %s from %d: %s", topo_algorithm(id)->name,
                  machine, call.root, error.text);
    check_vectors(tree, plan, call.root, form == topo_plan_gather_direct || form == topo_plan_scatter_direct);
    topo_plans_free_all(tree, plan);
}

static void prove_all(const struct topo_tree *tree, int root, const char *machine)
{
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        for (size_t radix = 0; is_shown(id) && radix < 4; radix += 2)
            prove(tree, id,
                  (struct topo_plan_input){.bytes = (radix ? 8 : TOPO_ROOTED_AWAITED) * (size_t)tree->ranks,
                                           .root = root,
                                           .parameters = {.radix = radix}},
                  machine);
}

static void prove_some_roots(const struct topo_tree *tree, const char *name)
{
    for (int i = 0; i < 5; i++)
        prove_all(tree, i * 7 % tree->ranks, name);
}

START_TEST(every_machine)
{
    on_machine(_i, prove_some_roots);
}
END_TEST

static void prove_roots(const struct topo_tree *tree, const char *name)
{
    for (int root = 0; root < tree->ranks; root++)
        prove_all(tree, root, name);
}

/* All shapes of up to six ranks on nodes, from every root. */
START_TEST(small_ones)
{
    each_small_machine(prove_roots);
}
END_TEST

/* Without memory for it there is no plan, and nothing is lost. */
START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine_of("switch:2 node:3 core:2");
    const struct topo_plan_input call = {.bytes = 96, .root = 1};
    struct topo_plan *plan;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        if (is_shown(id))
            UNIT_OUT_OF_MEMORY(topo_plans_make_all(tree, topo_plan_of(id), &call, &plan),
                               topo_plans_free_all(tree, plan));
    topo_tree_free(tree);
}
END_TEST

START_TEST(times)
{
    struct topo_tree *tree = machine_of("node:64 core:16");
    struct topo_params params;
    const char *why;
    topo_params_default(&params);
    ck_assert(topo_params_read_line(&params, "level node alpha=2e-6 beta=8e-11", &why)); /* tests/sim/machines */
    for (size_t bytes = 8; bytes <= 1024; bytes *= 128) {
        const struct topo_cost_call call = {.bytes = bytes, .root = 500};
        const double up = topo_cost(TOPO_ALGORITHM_gather_leader, tree, &params, &call),
                     one_by_one = topo_cost(TOPO_ALGORITHM_gather_direct, tree, &params, &call),
                     down = topo_cost(TOPO_ALGORITHM_scatter_leader, tree, &params, &call),
                     dealt = topo_cost(TOPO_ALGORITHM_scatter_direct, tree, &params, &call);
        ck_assert_msg(up > 0 && 2 * up < one_by_one, "gather of %zu bytes: %g and %g s", bytes, up, one_by_one);
        ck_assert_msg(down > 0 && 2 * down < dealt, "scatter of %zu bytes: %g and %g s", bytes, down, dealt);
    }
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("rooted", {every_machine, MACHINES}, {small_ones}, {out_of_memory}, {times})
