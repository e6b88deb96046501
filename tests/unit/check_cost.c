#include "machines.h"
#include "params.h"

#include <math.h>

#include "base/memory.h"
#include "model/cost.h"

static double cost(enum topo_algorithm_id id, const struct topo_tree *tree, const struct topo_params *params,
                   size_t bytes)
{
    struct topo_cost_call call = {.bytes = bytes};
    return topo_cost(id, tree, params, &call);
}

/* By hand, 2 nodes x 4 ranks by slot, m = 1024: one block takes 1 s through a node's link. */
START_TEST(allgather_by_hand)
{
    struct topo_tree *tree = machine_of("node:2 core:4");
    struct topo_params params;
    simple(&params);
    /* Distances 1 and 2 stay in the node (1 s each), distance 4: four blocks of four ranks. */
    ck_assert_double_eq(cost(TOPO_ALGORITHM_allgather_recursive_doubling, tree, &params, 1024), 1 + 1 + 8 + 16);
    /* Bruck: 1, 2 and 4 blocks; 1, 2 and 4 ranks send across. */
    ck_assert_double_eq(cost(TOPO_ALGORITHM_allgather_bruck, tree, &params, 1024), 8 + 1 + 8 + 4 + 8 + 16);
    /* The last block to come has passed both links between nodes, 9 s each, and five times 1 s in nodes. */
    ck_assert_double_eq(cost(TOPO_ALGORITHM_allgather_ring, tree, &params, 1024), 2 * 9 + 5);
    /* Virtual numbers v mod 2 on the nodes: only distance 1 crosses, all four ranks of a node with one block. */
    ck_assert_double_eq(cost(TOPO_ALGORITHM_allgather_recursive_doubling_reorder, tree, &params, 1024), 8 + 4 + 1 + 1);
    ck_assert_double_eq(cost(TOPO_ALGORITHM_allgather_native, tree, &params, 1024),
                        cost(TOPO_ALGORITHM_allgather_recursive_doubling, tree, &params, 1024));
    /* The mapping of Kurnosov's example, 0 2 4 6 | 1 3 5 7, given explicitly: the same. */
    int inverse[] = {0, 4, 1, 5, 2, 6, 3, 7};
    struct topo_cost_call call = {.bytes = 1024, .pi_inverse = inverse};
    ck_assert_double_eq(topo_cost(TOPO_ALGORITHM_allgather_recursive_doubling_reorder, tree, &params, &call), 14);
    /* exch moves each a_i to the rank that plays i first: ranks 1..6 send, 1 -> 4, 2 -> 1, 3 -> 5, 4 -> 2,
     * 5 -> 6, 6 -> 3: two cross each way. */
    ck_assert_double_eq(topo_cost(TOPO_ALGORITHM_allgather_recursive_doubling_exch, tree, &params, &call), 14 + 8 + 2);
    topo_tree_free(tree);
}
END_TEST

START_TEST(placement_counts)
{
    struct topo_tree *slot = machine_of("node:8 core:8"), *node = machine_of("node:8 core:8 by:node");
    struct topo_params params;
    topo_params_default(&params);
    ck_assert_msg(cost(TOPO_ALGORITHM_allgather_bruck_reorder, slot, &params, 16384) <
                      cost(TOPO_ALGORITHM_allgather_bruck, slot, &params, 16384) / 3,
                  "Bruck by slot carries most blocks across nodes, the renumbered one few (Kurnosov 2010)");
    double ours = cost(TOPO_ALGORITHM_allgather_ring, node, &params, 1 << 20);
    ck_assert_msg(cost(TOPO_ALGORITHM_allgather_native, node, &params, 1 << 20) > 4 * ours,
                  "a ring by rank number crosses a link with every rank when placed by node");
    topo_tree_free(slot);
    topo_tree_free(node);
}
END_TEST

START_TEST(what_is_unknown)
{
    struct topo_tree *tree = machine_of("node:2 core:3");
    struct topo_params params;
    topo_params_default(&params);
    ck_assert_msg(cost(TOPO_ALGORITHM_allgather_recursive_doubling, tree, &params, 8) < 0, "6 ranks: does not apply");
    ck_assert_msg(cost(TOPO_ALGORITHM_COUNT, tree, &params, 8) < 0, "no such row");
    double seconds = 0;
    UNIT_OUT_OF_MEMORY((seconds = cost(TOPO_ALGORITHM_allgather_bruck_reorder, tree, &params, 8)) < 0 ? TOPO_NOMEM
                                                                                                      : TOPO_OK);
    ck_assert_msg(seconds > 0, "a failed allocation gives a negative cost, never none");
    topo_tree_free(tree);
    tree = machine_of("node:1 core:1");
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        if (topo_algorithm(id)->operation == TOPO_OPERATION_allgather)
            ck_assert_msg(fabs(cost(id, tree, &params, 0)) == 0, "%s: one rank has nothing to send",
                          topo_algorithm(id)->name);
    topo_tree_free(tree);
}
END_TEST

/* What is counted by classes of ranks against every message by itself, as a matrix of equal entries gives them. */
START_TEST(equal_messages)
{
    static const char *const texts[] = {"node:1 core:5", "node:4 core:4", "node:3 core:7,2,1", "node:5 core:1",
                                        "switch:3 node:2,1,4 package:2 core:3 by:node"};
    static const enum topo_algorithm_id ids[] = {TOPO_ALGORITHM_alltoallv_native, TOPO_ALGORITHM_alltoallv_direct,
                                                 TOPO_ALGORITHM_alltoallv_node_aware};
    static const size_t sizes[] = {0, 1, 1000, 16384, 16385, 1 << 20};
    struct topo_params params[2];
    topo_params_default(&params[0]);
    topo_params_default(&params[1]);
    for (int kind = 0; kind <= TOPO_LEVEL_KINDS; kind++)
        params[1].link[kind] = (struct topo_link){.alpha = 1e-6 * (kind + 1),
                                                  .beta = 1e-9 / (kind + 1),
                                                  .shared = 3e-10,
                                                  .overhead = 1e-7 * (kind + 1),
                                                  .cpu = 2e-10,
                                                  .packet = 2e-6,
                                                  .from = 4096,
                                                  .wait = 1e-6};
    params[1].cores = 2;
    params[1].cores_kind = TOPO_LEVEL_NODE;
    params[1].turn = 1e-6;
    for (size_t machine = 0; machine < sizeof texts / sizeof *texts; machine++)
        for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++) {
            struct topo_tree *tree = NULL;
            ck_assert_int_eq(topo_synthetic_tree(texts[machine], 0, &tree, NULL), TOPO_OK);
            size_t pairs = (size_t)tree->ranks * (size_t)tree->ranks;
            int64_t *matrix = topo_alloc(pairs, sizeof *matrix);
            for (size_t i = 0; i < pairs; i++)
                matrix[i] = (int64_t)sizes[at];
            struct topo_cost_call each = {.bytes = sizes[at], .matrix = matrix}, equal = {.bytes = sizes[at]};
            for (int set = 0; set < 2; set++)
                for (int i = 0; i < 3; i++) {
                    double slow = topo_cost(ids[i], tree, &params[set], &each);
                    double fast = topo_cost(ids[i], tree, &params[set], &equal);
                    ck_assert_msg(fabs(slow - fast) <= 1e-12 + 1e-9 * slow, "%s, %s, %zu bytes: %g and %g",
                                  texts[machine], topo_algorithm(ids[i])->name, sizes[at], slow, fast);
                }
            topo_free(matrix);
            topo_tree_free(tree);
        }
}
END_TEST

/* A pairwise exchange of many ranks looks at some of its steps: not further off than the model is otherwise. */
START_TEST(some_steps)
{
    static const char *const texts[] = {"node:75 core:8", "switch:4 node:19 core:8", "node:13 core:48 by:node"};
    for (int machine = 0; machine < 3; machine++) {
        struct topo_tree *tree = NULL;
        struct topo_params params;
        ck_assert_int_eq(topo_synthetic_tree(texts[machine], 0, &tree, NULL), TOPO_OK);
        topo_params_default(&params);
        size_t pairs = (size_t)tree->ranks * (size_t)tree->ranks;
        int64_t *matrix = topo_alloc(pairs, sizeof *matrix);
        for (size_t i = 0; i < pairs; i++)
            matrix[i] = 4096;
        struct topo_cost_call each = {.bytes = 4096, .matrix = matrix}, equal = {.bytes = 4096};
        double slow = topo_cost(TOPO_ALGORITHM_alltoallv_native, tree, &params, &each);
        double fast = topo_cost(TOPO_ALGORITHM_alltoallv_native, tree, &params, &equal);
        printf("%s: %g s by every step, %g s by some\n", texts[machine], slow, fast);
        ck_assert_msg(fabs(slow - fast) <= 0.1 * slow, "%s: %g and %g", texts[machine], slow, fast);
        topo_free(matrix);
        topo_tree_free(tree);
    }
}
END_TEST

/* Nodes of one rank, latency 8 s, 1024 bytes a second. */
START_TEST(messages_share_a_link)
{
    struct topo_tree *tree = machine_of("node:16");
    struct topo_params params;
    simple(&params);
    params.gamma = 0;
    /* The root sends to 3 nodes of either level at once, those of the outer one then to 3 each. */
    ck_assert_double_eq(cost(TOPO_ALGORITHM_bcast_leader, tree, &params, 1024), (8 + 6) + (8 + 3));
    /* A binomial tree, the messages of all rounds at once: 4, 3, 2 and 1. */
    ck_assert_double_eq(cost(TOPO_ALGORITHM_bcast_circulant, tree, &params, 1024), 4 * 8 + 4 + 3 + 2 + 1);
    /* 16 shares, step by step: the root sends 3 nodes 4 each, all with 4 then 3 nodes 1; so does the allgather, back. */
    ck_assert_double_eq(cost(TOPO_ALGORITHM_bcast_halving, tree, &params, 16 << 10),
                        (8 + 12) + (8 + 3) + (8 + 3) + (8 + 12));
    /* Sums come one after the other. */
    ck_assert_double_eq(cost(TOPO_ALGORITHM_reduce_leader, tree, &params, 1024), 2 * (8 + 3));
    topo_tree_free(tree);
}
END_TEST

/* One rank of a node adds up by itself, while all copy at a time. */
START_TEST(memory_is_shared)
{
    struct topo_tree *tree = machine_of("node:2 core:4");
    struct topo_params params;
    simple(&params);
    params.gamma = 0;
    params.link[TOPO_LEVEL_CORE].shared = 1.0 / 1024;
    /* Three put their operands in place, one second each, one rank adds them to its own; the message; the root has led.
     */
    ck_assert_double_eq(cost(TOPO_ALGORITHM_reduce_leader, tree, &params, 1024), (1 + 3) + 3 + (8 + 1));
    /* All four copy out. */
    ck_assert_double_eq(cost(TOPO_ALGORITHM_bcast_leader, tree, &params, 1024), (8 + 1) + (1 + 4));
    params.gamma = 1.0 / 256;
    ck_assert_msg(cost(TOPO_ALGORITHM_reduce_leader, tree, &params, 1024) == (1 + 3) + 12 + (8 + 1 + 4),
                  "a rank alone adds no faster than it can");
    topo_tree_free(tree);
}
END_TEST

/* Bytes that the busiest of the machine's units of a level has to send or to receive at least, whatever the form:
 * c(k) of docs/SCALE.md. */
static double least(enum topo_operation operation, const struct topo_tree *tree, int level, double bytes)
{
    const double ranks = tree->ranks;
    int units = tree->units[level], *sizes = topo_calloc((size_t)units, sizeof *sizes);
    double smallest = ranks, pairs = 0;
    topo_tree_unit_sizes(tree, level, sizes);
    for (int unit = 0; unit < units; unit++) {
        smallest = fmin(smallest, sizes[unit]);
        pairs = fmax(pairs, sizes[unit] * (ranks - sizes[unit]));
    }
    const double others = ranks - sizes[topo_numbers_at(&tree->unit[level], 0)]; /* of rank 0's unit */
    topo_free(sizes);
    switch (operation) {
    case TOPO_OPERATION_barrier: return 0;
    case TOPO_OPERATION_allreduce: return 2 * bytes * (units - 1) / units;
    case TOPO_OPERATION_bcast:
    case TOPO_OPERATION_scan:
    case TOPO_OPERATION_exscan:
    case TOPO_OPERATION_reduce: return units > 1 ? bytes : 0;
    case TOPO_OPERATION_gather:
    case TOPO_OPERATION_gatherv:
    case TOPO_OPERATION_scatter:
    case TOPO_OPERATION_scatterv: return others * bytes;
    case TOPO_OPERATION_alltoall:
    case TOPO_OPERATION_alltoallv: return pairs * bytes;
    default: return (ranks - smallest) * bytes; /* blocks of others, and, added up, for others */
    }
}

/* A time below what a link has to carry would be taken for the fastest. */
START_TEST(no_form_beats_the_links)
{
    enum { LENGTHS = 4 };
    static const size_t sizes[LENGTHS] = {1 << 10, 1 << 16, 1 << 21, 1 << 24};
    struct topo_tree *tree = machine(_i);
    struct topo_params params;
    int known = 0;
    simple(&params);
    params.link[TOPO_LEVEL_SWITCH] = (struct topo_link){.alpha = 8, .beta = 1.0 / 4096};
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        for (size_t k = 0; k < 2 * LENGTHS; k++) {
            const struct topo_algorithm *algorithm = topo_algorithm(id);
            struct topo_cost_call call = {.bytes = sizes[k / 2], .han = k % 2};
            double seconds = topo_cost(id, tree, &params, &call);
            known += seconds >= 0;
            for (int level = 0; seconds >= 0 && level <= topo_tree_node_level(tree); level++) {
                double bytes = least(algorithm->operation, tree, level, (double)call.bytes);
                double bound = bytes * topo_params_link(&params, tree, level)->beta;
                ck_assert_msg(
                    seconds >= bound * (1 - 1e-9), "machine %d, %s %s of %zu bytes: %g s, but level %d takes %g", _i,
                    topo_operation_name(algorithm->operation), algorithm->name, call.bytes, seconds, level, bound);
            }
        }
    ck_assert_msg(known > 0, "forms have costs");
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("cost", {equal_messages}, {some_steps}, {allgather_by_hand}, {placement_counts}, {what_is_unknown},
          {messages_share_a_link}, {memory_is_shared}, {no_form_beats_the_links, MACHINES})
