/* Sums by messages between all ranks: the plans of all ranks add each operand to every block once, in order where that
 * matters, and end; on grids of every kind of dimension, in stripes, folded, in packets of all lengths and without. */
#include "unit.h"

#include "machines.h"
#include "plan/run.h"
#include "plan/sum_ranks.h"
#include "plan/together.h"

static const size_t counts[] = {1, 2, 5, 15, 16, 17, 64, 100, 257};

/* A call, for a count of elements of so many bytes and packets of so many of them. */
static struct topo_plan_input call_of(topo_plan_function *form, int ranks, const struct topo_plan_input *in,
                                      size_t count, size_t element, size_t packet)
{
    struct topo_plan_input call = *in;
    call.root = -1;
    call.element = element;
    call.bytes = count * element;
    call.packets = topo_plan_packets_of(topo_plan_sum_blocks(form, ranks, in), count, element, packet);
    return call;
}

static void prove(const struct topo_tree *tree, topo_plan_function *form, const struct topo_plan_input *in,
                  const char *what)
{
    static const size_t packets[] = {0, 1, 3, 8, 1000};
    for (size_t i = 0; i < 2 * sizeof counts / sizeof *counts * 5; i++) {
        const size_t count = counts[i / 10], packet = packets[i % 5], element = i % 10 < 5 ? 8 : 20000;
        const struct topo_plan_input call = call_of(form, tree->ranks, in, count, element, packet);
        struct topo_plan *plan;
        struct topo_error error = {""};
        ck_assert_int_eq(topo_plans_make_all(tree, form, &call, &plan), TOPO_OK);
        ck_assert_msg(topo_plans_together(tree, plan, &error) == TOPO_OK,
                      "%s, %d ranks, %zu elements of %zu bytes in packets of %zu: %s", what, tree->ranks, count,
                      element, packet, error.text);
        topo_plans_free_all(tree, plan);
    }
}

static int other_way(const void *of, int rank)
{
    return *(const int *)of - 1 - rank;
}

/* "4x4" with dimensions "rd": a ring, direct. */
static void prove_grid(const char *text, const char *kinds)
{
    struct topo_grid grid;
    char machine[32];
    ck_assert_int_eq(topo_grid_parse("TEST", text, &grid, NULL), TOPO_OK);
    for (int dim = 0; dim < grid.dims; dim++)
        grid.kind[dim] = kinds[dim] == 'd' ? TOPO_DIM_DIRECT : kinds[dim] == 'e' ? TOPO_DIM_EXCHANGE : TOPO_DIM_RING;
    snprintf(machine, sizeof machine, "node:%d", grid.ranks);
    struct topo_tree *tree = machine_of(machine);
    struct topo_plan_input in = {.grid = &grid};
    prove(tree, topo_plan_sum_grid, &in, text);
    in.numbers = (struct topo_plan_numbers){other_way, other_way, &tree->ranks};
    prove(tree, topo_plan_sum_grid, &in, text);
    topo_tree_free(tree);
}

START_TEST(rings)
{
    static const char *const grids[] = {"2", "3", "16", "4x4", "2x2x2x2", "3x5", "5x3", "2x3x4", "7x2"};
    prove_grid(grids[_i], "rrrr");
}
END_TEST

START_TEST(other_kinds)
{
    static const char *const grids[][2] = {{"4x4", "dr"},    {"4x4", "rd"},    {"4x4", "dd"},
                                           {"5", "d"},       {"4x2x2", "dee"}, {"4x2x2", "dre"},
                                           {"2x3x2", "ere"}, {"2x2x2", "eee"}, {"8x4", "dr"}};
    prove_grid(grids[_i][0], grids[_i][1]);
}
END_TEST

/* Recursive doubling and halving: any number of ranks, operands in order. */
START_TEST(folded_and_ordered)
{
    char machine[32];
    snprintf(machine, sizeof machine, "node:%d", _i + 1);
    struct topo_tree *tree = machine_of(machine);
    for (int ordered = 0; ordered < 2; ordered++) {
        const struct topo_plan_input in = {.ordered = ordered};
        prove(tree, topo_plan_sum_doubling, &in, "doubling");
        prove(tree, topo_plan_sum_halves, &in, "halves");
    }
    topo_tree_free(tree);
}
END_TEST

START_TEST(stripes)
{
    struct topo_tree *tree = machine(_i);
    struct topo_mapping *mapping;
    struct topo_stripes of;
    ck_assert_int_eq(topo_stripes_of(tree, &of), TOPO_OK);
    ck_assert_int_eq(topo_plans_mapping(tree, TOPO_ALGORITHM_allreduce_cyclic, &mapping, NULL), TOPO_OK);
    for (int place = 0; place < tree->ranks; place++)
        ck_assert_int_eq(mapping->pi_inverse[place], topo_tree_rank(tree, place));
    const struct topo_plan_input in = {.uneven = &of, .numbers = topo_plans_numbers(mapping)};
    prove(tree, topo_plan_sum_stripes, &in, "stripes");
    topo_mapping_free(mapping);
    topo_stripes_free(&of);
    topo_tree_free(tree);
}
END_TEST

/* Elements that leave each node. */
static void count_leaving(const struct topo_tree *tree, const struct topo_plan *plan, size_t *out)
{
    for (int rank = 0; rank < tree->ranks; rank++) {
        const int node = topo_tree_node_of(tree, rank);
        struct topo_plan_run run;
        void *memory = topo_alloc(topo_plan_run_bytes(&plan[rank]), 1);
        topo_plan_run_begin(&run, &plan[rank], memory);
        for (int task = 0; task < plan[rank].tasks; task++)
            for (int64_t at = 0; plan[rank].task[task].kind == TOPO_TASK_SEND && at < run.task[task].end; at++) {
                const struct topo_step step = topo_plan_step(&run, task, at);
                if (topo_tree_node_of(tree, step.peer) != node)
                    out[node] += topo_plan_length(&plan[rank], step.first, step.count);
            }
        topo_free(memory);
    }
}

/* Each node's link carries 2m(1 - 1/N), the lower bound, by stripes and by a grid with the node's ranks as its first
 * dimension, placed by slot or by node. */
START_TEST(links_carry_the_least)
{
    static const char *const machines[] = {"node:4 core:7,5,3,1", "node:4 core:4", "node:4 core:4 by:node",
                                           "switch:2 node:3,1 core:4,5,6,1"};
    const size_t m = 4 * 7 * 6 * 5 * 4;
    for (int i = 0; i < 6; i++) {
        struct topo_tree *tree = machine_of(machines[i < 4 ? i : i - 3]);
        struct topo_mapping *mapping;
        struct topo_stripes of;
        struct topo_grid grid;
        struct topo_plan *plan;
        size_t out[8] = {0};
        topo_plan_function *form = i < 4 ? topo_plan_sum_stripes : topo_plan_sum_grid;
        ck_assert_int_eq(topo_stripes_of(tree, &of), TOPO_OK);
        ck_assert_int_eq(topo_grid_parse("TEST", "4x4", &grid, NULL), TOPO_OK);
        ck_assert_int_eq(topo_plans_mapping(tree, TOPO_ALGORITHM_allreduce_cyclic, &mapping, NULL), TOPO_OK);
        const struct topo_plan_input in = {.uneven = &of, .grid = &grid, .numbers = topo_plans_numbers(mapping)};
        const struct topo_plan_input call = call_of(form, tree->ranks, &in, m, 8, 100);
        ck_assert_int_eq(topo_plans_make_all(tree, form, &call, &plan), TOPO_OK);
        count_leaving(tree, plan, out);
        for (int node = 0; node < of.nodes; node++)
            ck_assert_msg(out[node] == 2 * m / 4 * 3, "%s: node %d sends %zu of %zu elements",
                          machines[i < 4 ? i : i - 3], node, out[node], m);
        topo_plans_free_all(tree, plan);
        topo_mapping_free(mapping);
        topo_stripes_free(&of);
        topo_tree_free(tree);
    }
}
END_TEST

/* Long rings and vectors are few tasks, and calls of many sizes have one plan. */
START_TEST(few_tasks)
{
    struct topo_tree *tree = machine_of("node:64");
    struct topo_grid grid;
    ck_assert_int_eq(topo_grid_parse("TEST", "8x8", &grid, NULL), TOPO_OK);
    const struct topo_plan_input in = {.grid = &grid};
    const struct topo_plan_input call = call_of(topo_plan_sum_grid, tree->ranks, &in, 1 << 26, 8, 7000);
    struct topo_plan *plan;
    ck_assert_int_eq(topo_plans_make_all(tree, topo_plan_sum_grid, &call, &plan), TOPO_OK);
    ck_assert_int_eq(plan->tasks, 8);
    ck_assert_int_eq(plan->turns, 8);
    topo_plans_free_all(tree, plan);
    topo_tree_free(tree);
    const struct topo_plan_packets one = topo_plan_packets_of(64, 300, 8, 7000);
    for (size_t count = 257; count < 511; count++) {
        const struct topo_plan_packets packets = topo_plan_packets_of(64, count, 8, 7000);
        ck_assert(packets.pieces == one.pieces && packets.blocks == one.blocks && packets.ahead == one.ahead);
    }
}
END_TEST

/* No packet is longer than was asked for. */
START_TEST(packets)
{
    for (int blocks = 1; blocks < 70; blocks = blocks * 2 + 1)
        for (size_t count = 1; count < 100000; count = count * 3 + 1)
            for (size_t packet = 1; packet < 20000; packet = packet * 7 + 1) {
                const struct topo_plan_packets packets = topo_plan_packets_of(blocks, count, 8, packet);
                const size_t block = (count - 1) / (size_t)blocks + 1, piece = (block - 1) / (size_t)packets.pieces + 1;
                ck_assert(packets.blocks >= 1 && packets.blocks <= blocks && packets.ahead >= 2 && packets.ahead <= 32);
                ck_assert(piece * (size_t)packets.blocks <= packet);
                ck_assert(packets.pieces == 1 || packets.blocks == 1);
            }
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine_of("node:3 core:4,2,1");
    struct topo_stripes of;
    struct topo_grid grid;
    struct topo_plan *plan = NULL;
    ck_assert_int_eq(topo_stripes_of(tree, &of), TOPO_OK);
    ck_assert_int_eq(topo_grid_parse("TEST", "7", &grid, NULL), TOPO_OK);
    topo_plan_function *const forms[] = {topo_plan_sum_grid, topo_plan_sum_stripes, topo_plan_sum_doubling,
                                         topo_plan_sum_halves};
    for (int i = 0; i < 4; i++) {
        const struct topo_plan_input in = {.uneven = &of, .grid = &grid};
        const struct topo_plan_input call = call_of(forms[i], tree->ranks, &in, 100, 8, 10);
        UNIT_OUT_OF_MEMORY(topo_plans_make_all(tree, forms[i], &call, &plan), topo_plans_free_all(tree, plan));
    }
    topo_stripes_free(&of);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("sum_ranks", {rings, 9}, {other_kinds, 9}, {folded_and_ordered, 18}, {stripes, MACHINES},
          {links_carry_the_least}, {few_tasks}, {packets}, {out_of_memory})
