#include "machines.h"

#include "model/cost.h"
#include "select/by_model.h"
#include "catalog/size_class.h"

static struct topo_tuning tuning;
static struct topo_layout layout;

static struct topo_tree *measured(const char *text)
{
    struct topo_tree *tree = machine_of(text);
    tuning = (struct topo_tuning){.measured = true};
    topo_params_default(&tuning.params);
    ck_assert_int_eq(topo_layout_of(tree, &layout), TOPO_OK);
    layout.has_shm = true;
    return tree;
}

static const struct topo_algorithm *by_model(const struct topo_tuning *with, enum topo_operation operation,
                                             const struct topo_tree *tree, int size_class)
{
    const struct topo_algorithm *says;
    ck_assert_int_eq(topo_select_by_model(with, operation, tree, &layout, size_class, &says), TOPO_OK);
    return says;
}

static double seconds_of(const struct topo_algorithm *algorithm, const struct topo_tree *tree, int size_class)
{
    struct topo_cost_call call = {.bytes = topo_size_middle(size_class)};
    return topo_cost(algorithm->id, tree, &tuning.params, &call);
}

/* The fastest of ours without a mapping or schedule, or none is a tenth faster than the rules' choice; the native one
 * where it is a tenth faster than that. */
START_TEST(the_fastest)
{
    static const char *const machines[] = {"node:4 core:4", "node:4 core:4 by:node", "node:8 core:1", "node:3 core:5"};
    int other = 0, native = 0;
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        struct topo_tree *tree = measured(machines[k]);
        for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
            for (int size_class = 0; size_class < 24; size_class += 3) {
                size_t middle = topo_size_middle(size_class);
                const struct topo_algorithm *ruled = topo_select(&tuning, operation, &layout, middle);
                const struct topo_algorithm *taken = by_model(&tuning, operation, tree, size_class);
                double limit = 0.9 * seconds_of(ruled, tree, size_class);
                if (taken) {
                    ck_assert(taken->operation == (enum topo_operation)operation && taken->graph == TOPO_GRAPH_NONE &&
                              topo_algorithm_applies(taken, tree->ranks, NULL));
                    double seconds = seconds_of(taken, tree, size_class);
                    native += taken == topo_algorithm_native(operation);
                    ck_assert_msg(seconds < limit, "%s %s: a tenth faster", topo_operation_name(operation),
                                  taken->name);
                    limit = seconds;
                    other++;
                }
                for (int id = 0; id < TOPO_ALGORITHM_COUNT && operation != TOPO_OPERATION_alltoallv; id++) {
                    const struct topo_algorithm *row = topo_algorithm(id);
                    if (row->operation != (enum topo_operation)operation || row->graph != TOPO_GRAPH_NONE ||
                        !topo_algorithm_applies(row, tree->ranks, NULL))
                        continue;
                    if (row == topo_algorithm_native(operation) && row != taken)
                        continue;
                    double seconds = seconds_of(row, tree, size_class);
                    ck_assert_msg(seconds < 0 || seconds >= limit, "%s %s would be faster",
                                  topo_operation_name(operation), row->name);
                    ck_assert_msg(taken != topo_algorithm_native(operation) || row == taken || row == ruled ||
                                      limit < 0.9 * seconds,
                                  "%s native is taken, but %s is as fast", topo_operation_name(operation), row->name);
                }
            }
        topo_tree_free(tree);
    }
    ck_assert_msg(other > 0, "the model has its say somewhere");
    ck_assert_msg(native < other, "but it is not always the native form");
}
END_TEST

START_TEST(when_it_is_asked)
{
    const struct topo_layout *const same = &layout;
    struct topo_tree *tree = measured("node:4 core:4 by:node");
    enum topo_operation operation = 0;
    int size_class = 0;
    while (!by_model(&tuning, operation, tree, size_class))
        if (++size_class == 24) {
            size_class = 0;
            ck_assert_msg(++operation < TOPO_OPERATION_COUNT, "the model takes something somewhere");
        }
    size_t bytes = topo_size_middle(size_class);
    const struct topo_algorithm *taken = by_model(&tuning, operation, tree, size_class);
    ck_assert_int_eq(topo_size_class(bytes), size_class);
    ck_assert(topo_select_on(&tuning, operation, tree, same, bytes) == taken);
    ck_assert_ptr_null(by_model(NULL, operation, tree, size_class));
    struct topo_rule rule = topo_rule_any();
    rule.algorithm = topo_algorithm_native(operation);
    tuning.rules = &rule;
    tuning.first[operation] = tuning.count = 1;
    ck_assert_msg(topo_select_on(&tuning, operation, tree, same, bytes) == rule.algorithm,
                  "a line of the file goes first");
    tuning.rules = NULL;
    tuning.first[operation] = tuning.count = 0;
    tuning.measured = false;
    tuning.links = true;
    ck_assert_ptr_null(by_model(&tuning, operation, tree, size_class));
    tuning.links = false;
    ck_assert(topo_select_on(&tuning, operation, tree, same, bytes) == topo_select(&tuning, operation, same, bytes));
    tuning.measured = true;
    layout.has_shm = false;
    ck_assert_ptr_null(by_model(&tuning, operation, tree, size_class));
    topo_tree_free(tree);
}
END_TEST

/* Of many ranks it is asked, too, but for what takes long to say. */
START_TEST(many_ranks)
{
    static const struct {
        enum topo_algorithm_id id;
        enum topo_operation operation;
        int ranks, nodes; /* the most */
    } candidates[] = {{TOPO_ALGORITHM_allreduce_mixed_grid, TOPO_OPERATION_allreduce, 1024, 64},
                      {TOPO_ALGORITHM_allreduce_lanes, TOPO_OPERATION_allreduce, 16384, 64},
                      {TOPO_ALGORITHM_alltoall_node_aware, TOPO_OPERATION_alltoall, 2000, 1024}};
    struct topo_tree *tree = measured("node:32 core:32");
    int said = 0;
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        for (int size_class = 3; size_class < 24; size_class += 5) {
            const struct topo_algorithm *found = by_model(&tuning, (enum topo_operation)operation, tree, size_class);
            ck_assert(!found || found->operation == (enum topo_operation)operation);
            ck_assert(!found || found->id != TOPO_ALGORITHM_allreduce_mixed_grid);
            said += found != NULL;
        }
    ck_assert_msg(said > 0, "it objects somewhere");
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        const struct topo_algorithm *form = topo_algorithm(candidates[i].id);
        layout.ranks = candidates[i].ranks;
        layout.nodes = candidates[i].nodes;
        ck_assert_msg(topo_select_is_candidate(form, candidates[i].operation, &layout), "%s", form->name);
        layout.ranks++;
        layout.nodes++;
        ck_assert_msg(!topo_select_is_candidate(form, candidates[i].operation, &layout), "%s", form->name);
    }
    topo_tree_free(tree);
    tree = measured("node:65 core:128");
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        ck_assert_msg(!by_model(&tuning, (enum topo_operation)operation, tree, 12), "not asked: %s",
                      topo_operation_name((enum topo_operation)operation));
    topo_tree_free(tree);
}
END_TEST

/* Without memory it says so, at whatever allocation it runs out, and nothing that other ranks would not find. */
START_TEST(without_memory)
{
    struct topo_tree *tree = measured("node:4 core:4 by:node");
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++) {
        const struct topo_algorithm *expected = by_model(&tuning, (enum topo_operation)operation, tree, 9), *says;
        enum topo_status status = TOPO_NOMEM;
        long after = 0;
        for (; after < 10000 && status != TOPO_OK; after++) {
            topo_memory_fail_after(after);
            status = topo_select_by_model(&tuning, (enum topo_operation)operation, tree, &layout, 9, &says);
            topo_memory_fail_after(-1);
            ck_assert(status == TOPO_NOMEM || (status == TOPO_OK && says == expected));
        }
        ck_assert_msg(status == TOPO_OK && after > 1, "%s: memory for %ld", topo_operation_name(operation), after);
    }
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("by_model", {the_fastest}, {when_it_is_asked}, {many_ranks}, {without_memory})
