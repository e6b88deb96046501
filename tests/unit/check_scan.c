/* Both scans on every machine: the plans of all ranks bring each rank the sum of those up to it, or before it, added in
 * their order, and end; no rank receives from a higher one; and on 64 nodes of 16 the levels as shipped give them less
 * than a tenth of the time of a chain of all ranks. */
#include "unit.h"

#include <string.h>

#include "machines.h"
#include "model/cost.h"
#include "plan/scan.h"
#include "plan/together.h"

static void check_receives(const struct topo_plan *plan, int rank)
{
    for (int i = 0; i < plan->tasks; i++)
        for (int turn = 0; turn < plan->task[i].turns; turn++) {
            const int peer = plan->turn[plan->task[i].turn + turn].peer;
            ck_assert_msg((peer < rank) == (plan->task[i].kind == TOPO_TASK_RECEIVE), "rank %d has rank %d", rank,
                          peer);
        }
}

static void prove(const struct topo_tree *tree, const char *machine)
{
    static topo_plan_function *const forms[] = {topo_plan_scan, topo_plan_exscan};
    for (int i = 0; i < 4; i++) {
        const struct topo_plan_input call = {.bytes = i < 2 ? 8 : TOPO_SCAN_LONG, .element = 8};
        struct topo_plan *plan;
        struct topo_error error = {""};
        ck_assert_int_eq(topo_plans_make_all(tree, forms[i % 2], &call, &plan), TOPO_OK);
        for (int rank = 0; rank < tree->ranks; rank++)
            check_receives(&plan[rank], rank);
        ck_assert_msg(topo_plans_together(tree, plan, &error) == TOPO_OK, "form %d on %s: %s", i, machine, error.text);
        topo_plans_free_all(tree, plan);
    }
}

START_TEST(every_machine)
{
    on_machine(_i, prove);
}
END_TEST

START_TEST(small_ones)
{
    each_small_machine(prove);
}
END_TEST

/* A plan in which a sum lacks an operand, or has it out of order, is no proof. */
START_TEST(planted)
{
    struct topo_tree *tree = machine_of("node:2 core:3");
    const struct topo_plan_input call = {.bytes = 8, .element = 8};
    for (int form = 0; form < 2; form++) {
        struct topo_plan *plan;
        struct topo_error error = {""};
        ck_assert_int_eq(topo_plans_make_all(tree, form ? topo_plan_exscan : topo_plan_scan, &call, &plan), TOPO_OK);
        for (int i = 0; i < plan[2].tasks; i++) {
            plan[2].task[i].joined = form ? plan[2].task[i].joined : 0;
            plan[2].task[i].own = 0;
        }
        ck_assert_int_eq(topo_plans_together(tree, plan, &error), TOPO_INVALID);
        ck_assert_msg(strstr(error.text, form ? "order" : "loses"), "%s", error.text);
        topo_plans_free_all(tree, plan);
    }
    topo_tree_free(tree);
}
END_TEST

START_TEST(times)
{
    struct topo_tree *tree = machine_of("node:64 core:16");
    struct topo_params params;
    topo_params_default(&params);
    for (size_t bytes = 8; bytes <= 8192; bytes *= 1024) {
        const struct topo_cost_call call = {.bytes = bytes};
        const double scan = topo_cost(TOPO_ALGORITHM_scan_leader, tree, &params, &call),
                     exscan = topo_cost(TOPO_ALGORITHM_exscan_leader, tree, &params, &call),
                     native = topo_cost(TOPO_ALGORITHM_scan_native, tree, &params, &call);
        ck_assert_msg(scan > 0 && 10 * scan < native, "%zu bytes: %g s, natively %g", bytes, scan, native);
        ck_assert_msg(exscan > 0 && 10 * exscan < native, "%zu bytes: %g s, natively %g", bytes, exscan, native);
    }
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("scan", {every_machine, MACHINES}, {small_ones}, {planted}, {times})
