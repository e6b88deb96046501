/* Every form of an allgather on every machine, with short blocks and long ones, and some of no bytes, those between
 * nodes in the memory of the nodes and without: the plans of all ranks bring each block once, and end. */
#include "unit.h"

#include <string.h>

#include "machines.h"
#include "plan/gather.h"
#include "plan/together.h"

/* Of forms that go in rounds each with these many, in so many windows. */
static const int rounds[] = {1, 5, 3}, windows[] = {2, 2, 4};

static void prove(const struct topo_tree *tree, const struct topo_algorithm *form, struct topo_plan_input call,
                  int variant, const char *machine)
{
    struct topo_mapping *mapping;
    struct topo_plan *plan;
    struct topo_error error = {""};
    ck_assert_int_eq(topo_plans_mapping(tree, form->id, &mapping, &error), TOPO_OK);
    call.numbers = topo_plans_numbers(mapping);
    ck_assert_int_eq(topo_plans_make_all(tree, topo_plan_of(form->id), &call, &plan), TOPO_OK);
    if (topo_plan_of(form->id) == topo_plan_gather_lanes)
        ck_assert_int_eq(
            topo_plans_in_windows(tree, &call, variant > 2, rounds[variant % 3], windows[variant % 3], plan), TOPO_OK);
    ck_assert_msg(topo_plans_together(tree, plan, &error) == TOPO_OK, "%s on %s, %zu bytes, variant %d: %s", form->name,
                  machine, call.bytes, variant, error.text);
    topo_plans_free_all(tree, plan);
    topo_mapping_free(mapping);
}

static void prove_all(const struct topo_tree *tree, const char *machine)
{
    const size_t ranks = (size_t)tree->ranks;
    const size_t sizes[] = {8 * ranks, (ranks + 1) / 2, TOPO_PLAN_APART_BYTES * ranks};
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *row = topo_algorithm(id);
        topo_plan_function *form = topo_plan_of(row->id);
        if (row->operation != TOPO_OPERATION_allgather || !form || !topo_algorithm_applies(row, tree->ranks, NULL))
            continue;
        const size_t variants = topo_plan_is_by_rank(form) ? 1 : form == topo_plan_gather_lanes ? 12 : 4;
        for (size_t i = 0; i < 3 * variants; i++)
            prove(tree, row,
                  (struct topo_plan_input){.bytes = sizes[i % 3],
                                           .shares = i / 3 % 2,
                                           .oversubscribed = i / 18,
                                           .parameters = {.radix = i / 6 * 2, .drivers = i / 6 * 3}},
                  (int)(i / 3 % 6), machine);
    }
}

START_TEST(every_machine)
{
    on_machine(_i, prove_all);
}
END_TEST

/* Numbers of ranks that are powers of two, as some forms need them. */
START_TEST(powers_of_two)
{
    static const char *const machines[] = {
        "node:1 core:2",          "node:2 core:3,1",        "node:4 core:2 by:node",
        "switch:2 node:2 core:2", "node:3 core:7,5,4",      "switch:2 node:4 core:4 by:node",
        "node:5 core:13",         "switch:4 node:4 core:4", "node:16 core:4 by:node"};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct topo_tree *tree = machine_of(machines[i]);
        prove_all(tree, machines[i]);
        topo_tree_free(tree);
    }
}
END_TEST

/* So many steps that long blocks of the later ones share a tag. */
START_TEST(many_steps)
{
    static const enum topo_algorithm_id forms[] = {TOPO_ALGORITHM_allgather_bruck,
                                                   TOPO_ALGORITHM_allgather_recursive_doubling};
    struct topo_tree *tree = machine_of("node:16 core:16");
    for (int i = 0; i < 2; i++)
        prove(tree, topo_algorithm(forms[i]), (struct topo_plan_input){.bytes = TOPO_PLAN_APART_BYTES * 256}, 0,
              "16 nodes of 16");
    topo_tree_free(tree);
}
END_TEST

/* All shapes of up to six ranks on nodes. */
START_TEST(small_ones)
{
    each_small_machine(prove_all);
}
END_TEST

UNIT_MAIN("gather", {every_machine, MACHINES}, {powers_of_two}, {many_steps}, {small_ones})
