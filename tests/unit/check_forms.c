/* Every form of a broadcast, and of a reduction backwards, on every machine, from every root, through memory of the
 * nodes and without: the plans of all ranks bring each block once, and end. */
#include "unit.h"

#include <string.h>

#include "machines.h"
#include "plan/exchange.h"
#include "plan/sum_ranks.h"
#include "plan/rooted.h"
#include "plan/scan.h"
#include "plan/together.h"

/* Steps begin after what comes before them. */
static void check_order(const struct topo_plan *plan)
{
    for (int i = 0; i < plan->tasks && plan->in_order; i++) {
        const struct topo_task *task = &plan->task[i];
        ck_assert(task->after < i && task->stride == 0 && task->needs == 0 && task->window == task->turns);
        ck_assert(!topo_plan_adds(plan, task) || task->turns % task->joined == 0);
    }
}

static void prove(const struct topo_tree *tree, topo_plan_function *form, const char *name,
                  const struct topo_plan_input *call, const char *machine)
{
    struct topo_plan *plan;
    struct topo_error error = {""};
    ck_assert_int_eq(topo_plans_make_all(tree, form, call, &plan), TOPO_OK);
    for (int rank = 0; rank < tree->ranks; rank++)
        check_order(&plan[rank]);
    ck_assert_msg(topo_plans_together(tree, plan, &error) == TOPO_OK,
                  "%s on %s, %zu bytes from %d, shares %d, oversubscribed %d, segment %zu: %s", name, machine,
                  call->bytes, call->root, call->shares, call->oversubscribed, call->parameters.segment, error.text);
    topo_plans_free_all(tree, plan);
}

static bool is_broadcast(int id)
{
    return topo_plan_of(id) && topo_algorithm(id)->operation == TOPO_OPERATION_bcast;
}

static bool has_root(int id)
{
    return is_broadcast(id) || topo_algorithm(id)->operation == TOPO_OPERATION_reduce;
}

/* Whether it is proved here: not in check_gather, check_exchange, check_rooted, check_scan, check_sum_ranks or check_sum_lanes. */
static bool is_shown(int id)
{
    const enum topo_operation operation = topo_algorithm(id)->operation;
    return topo_plan_of(id) && operation != TOPO_OPERATION_allgather && operation != TOPO_OPERATION_allgatherv &&
           !topo_plan_is_exchange(topo_plan_of(id)) && !topo_plan_sums_by_rank(topo_plan_of(id)) &&
           !topo_plan_sums_in_rounds(topo_plan_of(id)) && !topo_plan_is_rooted(topo_plan_of(id)) &&
           !topo_plan_is_scan(topo_plan_of(id));
}

START_TEST(every_machine)
{
    static const size_t sizes[] = {1, 100, 5000, 70000, 150001, 700000};
    struct topo_tree *tree = machine(_i);
    char name[32];
    snprintf(name, sizeof name, "machine %d", _i);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        for (int i = 0; is_broadcast(id) && i < 24; i++) {
            struct topo_plan_input call = {.root = (i * 7 + _i) % tree->ranks,
                                           .bytes = sizes[i % 6],
                                           .shares = i / 6 % 2,
                                           .oversubscribed = i / 12};
            prove(tree, topo_plan_of(id), topo_algorithm(id)->name, &call, name);
        }
    topo_tree_free(tree);
}
END_TEST

/* One stripe of a reduction, of elements of 8 and of 40,000 bytes, to one rank or to all. */
START_TEST(sums)
{
    static topo_plan_function *const forms[] = {topo_plan_reduce_trees, topo_plan_reduce_circulant,
                                                topo_plan_sum_leader, topo_plan_sum_halving, topo_plan_barrier_tree};
    static const size_t counts[] = {1, 100, 5000, 70001};
    struct topo_tree *tree = machine(_i);
    for (int i = 0; i < 96; i++) {
        size_t element = i % 16 < 4 ? 40000 : 8;
        const bool all = i >= 48; /* leader and halving once more, then the barrier */
        struct topo_plan_input call = {.root = all ? -1 : (i * 7 + _i) % tree->ranks,
                                       .stripes = 1,
                                       .element = element,
                                       .parts = i % 4 + 1,
                                       .bytes = (counts[i % 4] / (element > 8 ? 50 : 1) + 1) * element,
                                       .oversubscribed = i / 8 % 2,
                                       .parameters = {.segment = i % 3 ? 0 : 4096, .radix = i % 5 ? 0 : 3}};
        static const char *const names[] = {"reduce trees", "reduce circulant", "leader", "halving", "barrier"};
        const int form = all ? i / 16 - 1 : i / 16;
        prove(tree, forms[form], names[form], &call, "a machine");
    }
    topo_tree_free(tree);
}
END_TEST

/* All shapes of up to six ranks on nodes, from every root. */
START_TEST(small_ones)
{
    for (int shape = 1; shape < 64; shape++) {
        char text[64];
        if (!small_machine(shape, 4, text))
            continue;
        struct topo_tree *tree = machine_of(text);
        for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
            for (int root = -1; is_shown(id) && root < tree->ranks; root++)
                for (int i = 0; i < 6; i++) {
                    struct topo_plan_input call = {.root = root,
                                                   .bytes = (size_t[]){8, 40000, 200000}[i % 3],
                                                   .shares = i / 3,
                                                   .parameters = {.segment = i % 2 ? 8192 : 0}};
                    if ((root < 0) == has_root(id))
                        continue;
                    if (!is_broadcast(id)) {
                        call.stripes = 1;
                        call.element = 8;
                        call.parts = i % 3 + 1;
                    }
                    prove(tree, topo_plan_of(id), topo_algorithm(id)->name, &call, text);
                }
        topo_tree_free(tree);
    }
}
END_TEST

UNIT_MAIN("forms", {every_machine, MACHINES}, {sums, MACHINES}, {small_ones})
