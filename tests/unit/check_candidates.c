#include "machines.h"

#include <string.h>

#include "model/cost.h"
#include "select/candidates.h"
#include "select/shipped.h"
#include "catalog/size_class.h"

static struct topo_layout layout;

static struct topo_tree *look_at(const char *text)
{
    struct topo_tree *tree = machine_of(text);
    ck_assert_int_eq(topo_layout_of(tree, &layout), TOPO_OK);
    layout.has_shm = true;
    return tree;
}

static struct topo_tuning tuning_of(const char *text)
{
    struct topo_tuning tuning = {.params = topo_shipped()->params};
    struct topo_error error = {""};
    ck_assert_msg(topo_tuning_parse_over(text, "test", &tuning, &error) == TOPO_OK, "%s", error.text);
    return tuning;
}

/* The fastest first, all of them TRIED, none that the model gives far more for than for native, nor as much where each
 * node has one rank. */
START_TEST(by_model)
{
    static const char *const machines[] = {"node:4 core:4", "node:12 core:1", "node:5 core:3,1,1,2,3 by:node"};
    struct topo_tuning tuning = tuning_of("");
    int several = 0;
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        struct topo_tree *tree = look_at(machines[k]);
        for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
            for (int size_class = 0; size_class < 24; size_class += 3) {
                const struct topo_cost_call call = {.bytes = topo_size_middle(size_class)};
                const struct topo_algorithm *native = topo_algorithm_native((enum topo_operation)operation);
                double last = 0, limit = (layout.node_ranks_max > 1 ? 1.5 : 1) *
                                         topo_cost(native->id, tree, &tuning.params, &call);
                struct topo_candidates candidates;
                ck_assert_int_eq(
                    topo_candidates_by_model(&tuning, native->operation, tree, &layout, size_class, &candidates),
                    TOPO_OK);
                for (int i = 0; i < candidates.count; i++) {
                    const struct topo_algorithm *form = candidates.form[i];
                    double seconds = topo_cost(form->id, tree, &tuning.params, &call);
                    ck_assert(form->operation == native->operation && (form->traits & TOPO_TRAIT_TRIED));
                    ck_assert_msg(last <= seconds && seconds < limit, "%s of %s", form->name, machines[k]);
                    last = seconds;
                }
                /* Whoever was left out is no faster. */
                for (int id = 0; id < TOPO_ALGORITHM_COUNT && candidates.count == TOPO_CANDIDATES; id++) {
                    const struct topo_algorithm *form = topo_algorithm((enum topo_algorithm_id)id);
                    bool known = false;
                    for (int i = 0; i < candidates.count; i++)
                        known = known || form == candidates.form[i];
                    if (!known && form->operation == native->operation && (form->traits & TOPO_TRAIT_TRIED))
                        ck_assert(topo_cost(form->id, tree, &tuning.params, &call) >= last);
                }
                several += candidates.count > 1;
            }
        topo_tree_free(tree);
    }
    ck_assert_int_gt(several, 0);
    topo_tuning_free(&tuning);
}
END_TEST

/* Nothing is tried on one node, or without memory in common. */
START_TEST(none)
{
    static const char *const machines[] = {"node:1 core:8", "node:4 core:4"};
    struct topo_tuning tuning = tuning_of("");
    for (int k = 0; k < 2; k++) {
        struct topo_tree *tree = look_at(machines[k]);
        struct topo_candidates candidates = {.count = 1};
        layout.has_shm = layout.nodes == 1;
        ck_assert_int_eq(topo_candidates_by_model(&tuning, TOPO_OPERATION_bcast, tree, &layout, 5, &candidates),
                         TOPO_OK);
        ck_assert_int_eq(candidates.count, 0);
        topo_tree_free(tree);
    }
    topo_tuning_free(&tuning);
}
END_TEST

/* Among many ranks the model is asked only where that does not take long. */
START_TEST(not_for_long)
{
    static const struct {
        const char *machine;
        bool all, rooted;
    } machines[] = {{"node:64 core:8", true, true}, {"node:65 core:8", false, true}, {"node:64 core:65", false, false}};
    struct topo_tuning tuning = tuning_of("");
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        struct topo_tree *tree = look_at(machines[k].machine);
        struct topo_candidates of_all, rooted;
        ck_assert_int_eq(topo_candidates_by_model(&tuning, TOPO_OPERATION_allgather, tree, &layout, 5, &of_all),
                         TOPO_OK);
        ck_assert_int_eq(topo_candidates_by_model(&tuning, TOPO_OPERATION_bcast, tree, &layout, 5, &rooted), TOPO_OK);
        ck_assert_int_eq(of_all.count > 0, machines[k].all);
        ck_assert_int_eq(rooted.count > 0, machines[k].rooted);
        topo_tree_free(tree);
    }
    topo_tuning_free(&tuning);
}
END_TEST

/* At whatever allocation memory runs out, it is said; so, too, where all forms are asked for at any size. */
START_TEST(without_memory)
{
    static const char *const machines[] = {"node:4 core:4", "node:5 core:3,1,1,2,3 by:node", "node:2 core:1"};
    struct topo_tuning tuning = tuning_of("");
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        struct topo_tree *tree = look_at(machines[k]);
        for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
            for (int size_class = 0; size_class < TOPO_SIZE_CLASSES; size_class++) {
                struct topo_candidates expected, found;
                enum topo_status status = TOPO_NOMEM;
                ck_assert_int_eq(topo_candidates_by_model(&tuning, operation, tree, &layout, size_class, &expected),
                                 TOPO_OK);
                for (long after = 0; after < 10000 && status != TOPO_OK && size_class % 20 == 9; after++) {
                    topo_memory_fail_after(after);
                    status = topo_candidates_by_model(&tuning, operation, tree, &layout, size_class, &found);
                    topo_memory_fail_after(-1);
                    ck_assert(status == TOPO_NOMEM ||
                              (found.count == expected.count &&
                               !memcmp(found.form, expected.form, (size_t)found.count * sizeof *found.form)));
                }
            }
        topo_tree_free(tree);
    }
    topo_tuning_free(&tuning);
}
END_TEST

static void check_known(bool links, const char *rules, size_t bytes, const char *named, const char *expected)
{
    struct topo_tuning tuning = tuning_of(rules);
    tuning.links = links;
    const struct topo_candidates by_model = {
        2, {topo_algorithm(TOPO_ALGORITHM_bcast_circulant), topo_algorithm(TOPO_ALGORITHM_bcast_leader)}};
    struct topo_candidates candidates;
    struct topo_text text = {0};
    topo_candidates_of(&tuning, topo_algorithm_find(TOPO_OPERATION_bcast, named), &layout, bytes, &by_model,
                       &candidates);
    for (int i = 0; i < candidates.count; i++) {
        topo_text_add(&text, i ? " " : "");
        topo_algorithm_write(candidates.form[i], &text);
    }
    ck_assert_msg(!strcmp(text.text ? text.text : "", expected), "%s: %s: %s", rules, text.text ? text.text : "",
                  expected);
    topo_text_free(&text);
    topo_tuning_free(&tuning);
}

static void check_of(const char *rules, size_t bytes, const char *named, const char *expected)
{
    check_known(false, rules, bytes, named, expected);
}

/* What auto names, what the rule names behind "or", the model's; of the user's rules nothing but their own words. */
START_TEST(order)
{
    struct topo_tree *tree = look_at("node:9 core:2");
    check_of("", 64, "native", "leader circulant");
    check_of("", 64, "chain", "chain leader circulant");
    check_of("", 64, "leader", "leader circulant");
    check_of("bcast native", 64, "native", "");
    check_of("bcast leader", 64, "leader", "leader");
    check_of("bcast native or chain or circulant", 64, "native", "chain circulant");
    check_of("bcast leader or native or leader or chain", 64, "leader", "leader chain");
    check_of("bcast leader radix=8 or leader radix=2 or leader or leader radix=8", 64, "chain",
             "chain leader radix=8 leader radix=2");
    check_of("bcast bytes=1K- native", 64, "native", "leader circulant");
    check_known(true, "", 64, "native", "circulant leader");
    check_known(true, "", 64, "leader", "leader circulant");
    check_known(true, "bcast native or chain", 64, "native", "chain");
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("candidates", {by_model}, {none}, {not_for_long}, {order}, {without_memory})
