/* Costs of forms by their plans, of native ones and of exchanges, worked out by hand. */
#include "unit.h"

#include <math.h>

#include "base/memory.h"
#include "machine/synthetic.h"
#include "model/cost.h"
#include "schedule/scheduler.h"

/* 1 s to start a message inside a node, nothing a byte; 8 s between nodes, 1 KiB/s through each node's link. */
static struct topo_params simple(void)
{
    struct topo_params params;
    topo_params_default(&params);
    for (int kind = 0; kind <= TOPO_LEVEL_KINDS; kind++)
        params.link[kind] = (struct topo_link){.alpha = 1};
    params.link[TOPO_LEVEL_NODE] = (struct topo_link){.alpha = 8, .beta = 1.0 / 1024};
    params.overhead = params.copy = params.gamma = 0;
    return params;
}

static struct topo_tree *machine(const char *text)
{
    struct topo_tree *tree = NULL;
    ck_assert(topo_synthetic_tree(text, 0, &tree, NULL) == TOPO_OK);
    return tree;
}

static double cost(enum topo_algorithm_id id, const struct topo_tree *tree, const struct topo_params *params,
                   size_t bytes)
{
    return topo_cost(id, tree, params, &(struct topo_cost_call){.bytes = bytes});
}

#define SECONDS(id, bytes, expected) \
    ck_assert_double_eq_tol(cost(TOPO_ALGORITHM_##id, tree, &params, bytes), (double)(expected), 1e-9)

/* 2 nodes x 2 ranks by slot. */
START_TEST(allreduce_by_hand)
{
    struct topo_tree *tree = machine("node:2 core:2");
    struct topo_params params = simple();
    /* 1 KiB with the neighbour in the node, then both ranks of a node across. */
    SECONDS(allreduce_recursive_doubling, 1024, 1 + 8 + 2);
    /* Halves: 512 B inside, 256 B across by two ranks each: 8 + 0.5; then back. */
    SECONDS(allreduce_recursive_halving, 1024, 2 * (1 + 8.5));
    SECONDS(allreduce_cyclic, 1024, 2 * (1 + 8.5));
    SECONDS(allreduce_native, 1024, 1 + 8 + 2);
    SECONDS(allreduce_native, 16384, 2 * (1 + 8 + 8));
    /* A single number on one core, 1 s a message at each end: what has no element is not sent. Two messages
     * inside the nodes, one across, and back. */
    params.overhead = params.cores = 1;
    params.link[TOPO_LEVEL_NODE].beta = 0;
    SECONDS(allreduce_cyclic, 8, 2 * (1 + 4 + 8 + 2));
    SECONDS(allreduce_recursive_halving, 8, 2 * (1 + 4 + 8 + 2));
    SECONDS(allreduce_recursive_doubling, 8, 1 + 8 + 8 + 8);
    /* And until a rank has the core three others look for messages, 0.5 s each. */
    params.turn = 0.5;
    SECONDS(allreduce_recursive_doubling, 8, 1 + 8 + 8 + 8 + 2 * 1.5);
    params = simple();
    params.gamma = 1.0 / 1024;
    /* Additions follow each packet: 1 KiB twice; with halves 256 B twice, as what a rank keeps is added while it sends.
     */
    SECONDS(allreduce_recursive_doubling, 1024, 1 + 1 + 8 + 2 + 1);
    SECONDS(allreduce_recursive_halving, 1024, 2 * (1 + 8.5) + 0.5);
    topo_tree_free(tree);

    tree = machine("node:3 core:1");
    params.gamma = 0;
    /* Folded: rank 1 hands 1 KiB to rank 0, to whose link that of rank 2 comes, too, and gets it back, after that of
     * rank 2. */
    SECONDS(allreduce_recursive_doubling, 1024, 10 + 9 + 9);
    topo_tree_free(tree);
}
END_TEST

/* 2 nodes x 2 ranks, 1 KiB a block: flag 1 s; leaders 8 s and two blocks; flag 1 s. */
START_TEST(shared_memory_by_hand)
{
    struct topo_tree *tree = machine("node:2 core:2");
    struct topo_params params = simple();
    SECONDS(allgather_leader, 1024, 1 + (8 + 2) + 1);
    SECONDS(allgather_radix, 1024, 1 + (8 + 2) + 1);
    /* Two lanes carry one block each at the same time, and one hand-over. */
    SECONDS(allgather_lanes, 1024, (8 + 2) + 1);
    /* The node's sum, or half of it there and back. */
    SECONDS(allreduce_leader, 1024, 1 + (8 + 1) + 1);
    SECONDS(allreduce_lanes, 1024, 1 + 2 * (8 + 0.5) + 1);
    /* A vector of 4 KiB, of which every rank gets a quarter: whole, or the half for the other node. */
    SECONDS(reduce_scatter_leader, 1024, 1 + (8 + 4) + 1);
    SECONDS(reduce_scatter_lanes, 1024, 1 + (8 + 2) + 1);
    SECONDS(reduce_scatter_halving, 1024, 1 + 2 * (8 + 2) + 1);
    SECONDS(reduce_scatter_block_halving, 1024, 1 + 2 * (8 + 2) + 1);
    SECONDS(reduce_scatter_block_leader, 1024, 1 + (8 + 4) + 1);
    SECONDS(reduce_scatter_block_lanes, 1024, 1 + (8 + 2) + 1);
    /* By halves, the longest distance first: 2 KiB of each rank to the other node, then 1 KiB in the node. */
    SECONDS(reduce_scatter_native, 1024, (8 + 4) + 1);
    params.gamma = 1.0 / 1024;
    /* One addition in the node, one of the other node's sum; lanes: of one of the node's halves, as what else is added
     * up takes no longer than the message of that. */
    SECONDS(allreduce_leader, 1024, 1 + 1 + (8 + 1) + 1 + 1);
    SECONDS(allreduce_lanes, 1024, 1 + 0.5 + 2 * (8 + 0.5) + 1);
    params.gamma = 0;
    params.copy = 1.0 / 1024;
    /* Own block in, all four out. */
    SECONDS(allgather_leader, 1024, 1 + 1 + (8 + 2) + 1 + 4);
    topo_tree_free(tree);

    tree = machine("node:3 core:1");
    params.copy = 0;
    /* Sums of three blocks: each node sends one to either other node; `leader` the whole vector. */
    SECONDS(reduce_scatter_lanes, 1024, 8 + 2);
    SECONDS(reduce_scatter_leader, 1024, 8 + 2 * 3);
    SECONDS(reduce_scatter_halving, 1024, 2 * (8 + 2));
    /* Around in two steps; folded by halves: 3 KiB to a neighbour, 1.5 exchanged, and the first back. */
    SECONDS(reduce_scatter_native, 1024, 2 * (8 + 1));
    SECONDS(reduce_scatter_block_native, 1024, 2 * (8 + 1));
    /* Ring of three nodes: two messages through each link, the second waits for the first. */
    SECONDS(allgather_lanes, 1024, 2 * (8 + 1));
    SECONDS(allgatherv_lanes, 1024, 2 * (8 + 1));
    topo_tree_free(tree);
}
END_TEST

START_TEST(han_by_hand)
{
    struct topo_tree *tree = machine("node:2 core:2"), *uneven = machine("node:2 core:2,1");
    struct topo_params params = simple();
    struct topo_cost_call call = {.bytes = 1024, .han = true};
    ck_assert_double_eq_tol(topo_cost(TOPO_ALGORITHM_allreduce_native, tree, &params, &call), 1 + 9 + 9 + 1, 1e-9);
    ck_assert_double_eq_tol(topo_cost(TOPO_ALGORITHM_allgather_native, tree, &params, &call), 1 + (8 + 2) + 1, 1e-9);
    ck_assert_double_eq(topo_cost(TOPO_ALGORITHM_allreduce_native, uneven, &params, &call),
                        cost(TOPO_ALGORITHM_allreduce_native, uneven, &params, 1024));
    topo_tree_free(tree);
    topo_tree_free(uneven);
}
END_TEST

/* 2 nodes x 2 ranks. */
START_TEST(exchanges_by_hand)
{
    struct topo_tree *tree = machine("node:2 core:2"), *three = machine("node:3 core:1");
    struct topo_params params = simple();
    const int64_t matrix[] = {0, 64, 1024, 0, 0, 0, 2048, 0, 0, 0, 0, 0, 512, 0, 0, 0};
    struct topo_cost_call call = {.matrix = matrix};
    /* 1 + 2 KiB leave node 0 together; half a KiB comes back meanwhile. */
    ck_assert_double_eq_tol(topo_cost(TOPO_ALGORITHM_alltoallv_direct, tree, &params, &call), 8 + 3, 1e-9);
    ck_assert_double_eq_tol(topo_cost(TOPO_ALGORITHM_alltoallv_native, tree, &params, &call), 8 + 3, 1e-9);
    /* A flag, one aggregated message each way, a flag; what is longer than 16 KiB goes by itself beside an empty one.
     */
    ck_assert_double_eq_tol(topo_cost(TOPO_ALGORITHM_alltoallv_node_aware, tree, &params, &call), 1 + (8 + 3) + 1,
                            1e-9);
    call.matrix = (const int64_t[]){0, 0, 32768, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    ck_assert_double_eq_tol(topo_cost(TOPO_ALGORITHM_alltoallv_node_aware, tree, &params, &call), 1 + (8 + 32) + 1,
                            1e-9);
    call.matrix = matrix;
    /* 2 KiB with what does not meet it, then 1 KiB; cut, the steps are no shorter here. */
    ck_assert_double_eq_tol(topo_scheduler_seconds(TOPO_SCHEDULER_sdrc, tree, &params, matrix), 10 + 9, 1e-9);
    ck_assert_double_eq_tol(topo_scheduler_seconds(TOPO_SCHEDULER_drc, tree, &params, matrix), 10 + 9, 1e-9);
    ck_assert_double_ge(topo_scheduler_seconds(TOPO_SCHEDULER_ggp, tree, &params, matrix), 10 + 9 - 1e-9);
    ck_assert_double_ge(topo_scheduler_seconds(TOPO_SCHEDULER_css, tree, &params, matrix), 10 + 9 - 1e-9);
    /* Equal blocks of all. */
    call = (struct topo_cost_call){.bytes = 1024};
    ck_assert_double_eq_tol(topo_cost(TOPO_ALGORITHM_alltoall_direct, tree, &params, &call), 8 + 4, 1e-9);
    ck_assert_double_eq_tol(topo_cost(TOPO_ALGORITHM_alltoall_native, tree, &params, &call), 8 + 4, 1e-9);
    ck_assert_double_eq_tol(topo_cost(TOPO_ALGORITHM_alltoall_node_aware, tree, &params, &call), 1 + (8 + 4) + 1, 1e-9);
    /* Three ranks, pairwise: to itself, then two steps of 1 KiB. */
    call = (struct topo_cost_call){.bytes = 1024};
    ck_assert_double_eq_tol(topo_cost(TOPO_ALGORITHM_alltoallv_native, three, &params, &call), 2 * (8 + 1), 1e-9);
    ck_assert_double_eq_tol(topo_cost_native(TOPO_NATIVE_ALLTOALLV, 0, three, &params, &call), 2 * (8 + 1), 1e-9);
    topo_tree_free(tree);
    topo_tree_free(three);
}
END_TEST

/* 2 nodes x 2 ranks, 1 KiB: two steps of a tree, the wider one first or last. */
START_TEST(others_by_hand)
{
    struct topo_tree *tree = machine("node:2 core:2");
    struct topo_params params = simple();
    struct topo_cost_call call = {.bytes = 1024};
    const struct {
        enum topo_native_operation operation;
        double seconds;
    } expected[] = {
        {TOPO_NATIVE_BARRIER, 1 + 8},      {TOPO_NATIVE_BROADCAST, 1 + 9},     {TOPO_NATIVE_REDUCE, 1 + 9},
        {TOPO_NATIVE_GATHER, 1 + (8 + 2)}, {TOPO_NATIVE_SCATTER, 1 + (8 + 2)}, {TOPO_NATIVE_ALLGATHERV, 3 * 9},
        {TOPO_NATIVE_ALLTOALL, 8 + 4},     {TOPO_NATIVE_SCAN, 1 + (8 + 2)},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        ck_assert_double_eq_tol(topo_cost_native(expected[i].operation, 0, tree, &params, &call), expected[i].seconds,
                                1e-9);
    /* A flag, a message of a byte each way, a flag. */
    ck_assert_double_eq_tol(cost(TOPO_ALGORITHM_barrier_leader, tree, &params, 0), 1 + 8 + 1.0 / 1024 + 1, 1e-9);
    ck_assert_double_eq_tol(cost(TOPO_ALGORITHM_barrier_native, tree, &params, 0), 1 + 8, 1e-9);
    /* One message to the other node, a flag; from any root. Native: the tree by rank, from odd roots its steps cross.
     */
    for (int root = 0; root < 4; root++) {
        struct topo_cost_call from = {.bytes = 1024, .root = root};
        ck_assert_double_eq_tol(topo_cost(TOPO_ALGORITHM_bcast_leader, tree, &params, &from), 9 + 1, 1e-9);
        ck_assert_double_eq_tol(topo_cost(TOPO_ALGORITHM_bcast_native, tree, &params, &from), root % 2 ? 9 + 9 : 1 + 9,
                                1e-9);
        /* A flag, the message, and a flag where the root is not the first rank of its node, which leads. */
        ck_assert_double_eq_tol(topo_cost(TOPO_ALGORITHM_reduce_leader, tree, &params, &from), 1 + 9 + root % 2, 1e-9);
        ck_assert_double_eq_tol(topo_cost(TOPO_ALGORITHM_reduce_chain, tree, &params, &from), 1 + 9 + 1, 1e-9);
        ck_assert_double_eq_tol(topo_cost(TOPO_ALGORITHM_reduce_native, tree, &params, &from), root % 2 ? 9 + 9 : 1 + 9,
                                1e-9);
    }
    /* The root is in the other node: what is near and far stays. */
    ck_assert_double_eq_tol(topo_cost_native(TOPO_NATIVE_BROADCAST, 2, tree, &params, &call), 1 + 9, 1e-9);
    /* 64 KiB: two segments of 32 KiB pass three links one after the other, faster than twice 64. */
    call.bytes = 64 << 10;
    ck_assert_double_eq_tol(topo_cost_native(TOPO_NATIVE_BROADCAST, 0, tree, &params, &call), 1 + 8 + 64, 1e-9);
    topo_tree_free(tree);
}
END_TEST

START_TEST(every_row)
{
    static const char *const machines[] = {"node:4 core:4", "node:4 core:4 by:node", "node:3 core:5", "node:1 core:8",
                                           "switch:2 node:2 core:3"};
    struct topo_params params;
    topo_params_default(&params);
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        struct topo_tree *tree = machine(machines[k]);
        for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
            double before = 0;
            if (!topo_algorithm_applies(topo_algorithm(id), tree->ranks, NULL) ||
                topo_algorithm(id)->operation > TOPO_OPERATION_allreduce)
                continue;
            for (size_t bytes = 64 << 10; bytes <= 16 << 20; bytes *= 4) {
                double seconds = cost(id, tree, &params, bytes);
                ck_assert_msg(isfinite(seconds) && seconds > before, "%s on %s: %zu bytes take %g, fewer took %g",
                              topo_algorithm(id)->name, machines[k], bytes, seconds, before);
                before = seconds;
                ck_assert_msg(cost(id, tree, &params, bytes) == seconds, "the same call, the same cost");
            }
            for (long fail = 0; fail < 6; fail++) {
                topo_memory_fail_after(fail);
                double seconds = cost(id, tree, &params, 1024);
                topo_memory_fail_after(-1);
                ck_assert_msg(seconds < 0 || seconds == cost(id, tree, &params, 1024),
                              "%s: a failed allocation gives a negative cost or none", topo_algorithm(id)->name);
            }
        }
        topo_tree_free(tree);
    }
}
END_TEST

UNIT_MAIN("cost_plans", {allreduce_by_hand}, {shared_memory_by_hand}, {han_by_hand}, {exchanges_by_hand},
          {others_by_hand}, {every_row})
