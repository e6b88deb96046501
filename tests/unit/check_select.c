/* Selection beyond the shipped rules, whose answers check_shipped has: the model's objections, and layouts of trees. */
#include "unit.h"

#include "machine/synthetic.h"
#include "model/cost.h"
#include "select/by_model.h"
#include "select/select.h"

/* On a network ten times slower than that of the rules the model objects; lines of the file come first. */
START_TEST(model_objects)
{
    static const char slow[] = "level node alpha=1e-4 beta=8e-8\nlevel memory alpha=1e-6 beta=1e-10\n";
    struct topo_tuning none, file, lines;
    struct topo_error error;
    struct topo_tree *tree;
    struct topo_layout layout;
    int objections = 0;
    ck_assert_int_eq(topo_synthetic_tree("node:4 core:4", 0, &tree, &error), TOPO_OK);
    ck_assert_int_eq(topo_layout_of(tree, &layout), TOPO_OK);
    layout.has_shm = true;
    ck_assert_int_eq(topo_tuning_parse("copy 1e-10\n", "none", &none, &error), TOPO_OK);
    ck_assert_int_eq(topo_tuning_parse(slow, "slow", &file, &error), TOPO_OK);
    ck_assert_int_eq(topo_tuning_parse("level node alpha=1e-4 beta=8e-8\nallreduce cyclic\n", "lines", &lines, &error),
                     TOPO_OK);
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        for (size_t bytes = 4; bytes <= 1 << 22; bytes *= 2) {
            const struct topo_algorithm *rules = topo_select(NULL, operation, &layout, bytes), *on;
            const struct topo_cost_call call = {.bytes = bytes / 4 * 3};
            ck_assert_ptr_eq(topo_select_on(&none, operation, tree, &layout, bytes), rules);
            ck_assert_ptr_eq(topo_select_on(NULL, operation, tree, &layout, bytes), rules);
            on = topo_select_on(&file, operation, tree, &layout, bytes);
            ck_assert_int_eq(on->operation, operation);
            ck_assert(on == rules ||
                      topo_cost(on->id, tree, &file.params, &call) <
                          topo_cost(topo_select(NULL, operation, &layout, call.bytes)->id, tree, &file.params, &call));
            objections += on != rules;
            if (operation == TOPO_OPERATION_allreduce)
                ck_assert_str_eq(topo_select_on(&lines, operation, tree, &layout, bytes)->name, "cyclic");
        }
    ck_assert_int_gt(objections, 0);
    layout.has_shm = false;
    for (size_t bytes = 1; bytes <= 1 << 22; bytes *= 2)
        ck_assert_ptr_eq(topo_select_on(&file, TOPO_OPERATION_allreduce, tree, &layout, bytes),
                         topo_select(NULL, TOPO_OPERATION_allreduce, &layout, bytes));
    topo_tuning_free(&none);
    topo_tuning_free(&file);
    topo_tuning_free(&lines);
    topo_tree_free(tree);
}
END_TEST

/* Several trees at a time are for nodes whose links are all there is: not below uplinks that racks share. */
START_TEST(nodes_in_racks)
{
    static const struct {
        const char *machine, *bcast, *reduce;
    } machines[] = {{"node:18 core:2", "trees", "chain"}, {"switch:2 node:9 core:2", "halving", "halving"}};
    for (int i = 0; i < 2; i++) {
        struct topo_tree *tree;
        struct topo_layout layout;
        struct topo_error error;
        ck_assert_int_eq(topo_synthetic_tree(machines[i].machine, 0, &tree, &error), TOPO_OK);
        ck_assert_int_eq(topo_layout_of(tree, &layout), TOPO_OK);
        ck_assert_int_eq(layout.nodes, 18);
        ck_assert(layout.has_racks == (i == 1));
        ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_bcast, &layout, 32768)->name, machines[i].bcast);
        ck_assert_str_eq(topo_select(NULL, TOPO_OPERATION_reduce, &layout, 32768)->name, machines[i].reduce);
        topo_tree_free(tree);
    }
}
END_TEST

UNIT_MAIN("select", {model_objects}, {nodes_in_racks})
