#include "machines.h"

#include "model/allreduce_shape.h"

/* The cheaper of grid and stripes; stripes only for published rings on nodes that differ in size. */
START_TEST(cheapest)
{
    static const char *const machines[] = {"node:4 core:4", "node:4 core:7,5,3,1", "node:2 core:5,3", "node:1 core:8",
                                           "switch:2 node:3,1 core:4,5,6,1"};
    int striped = 0;
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        struct topo_tree *tree = machine_of(machines[k]);
        struct topo_stripes stripes;
        struct topo_params params;
        topo_params_default(&params);
        ck_assert_int_eq(topo_stripes_of(tree, &stripes), TOPO_OK);
        bool uneven = !topo_tree_is_uniform(tree, topo_tree_node_level(tree)) && stripes.nodes > 1;
        for (size_t bytes = 1; bytes <= 64 << 20; bytes *= 16)
            for (int kind = 0; kind < TOPO_SHAPE_KINDS; kind++) {
                struct topo_grid_request request = {bytes, true, kind == TOPO_SHAPE_CYCLIC};
                struct topo_allreduce_shape shape;
                struct topo_grid grid;
                double seconds, by_grid, by_stripes = topo_stripes_cost(&stripes, tree, &params, &request);
                ck_assert_int_eq(
                    topo_allreduce_shape_choose(tree, &params, &stripes, kind, bytes, true, &shape, &seconds), TOPO_OK);
                ck_assert_int_eq(topo_grid_choose(tree, &params, &request, &grid, &by_grid, NULL), TOPO_OK);
                bool may = kind == TOPO_SHAPE_CYCLIC && uneven;
                ck_assert_msg(shape.stripes == (may && by_stripes < by_grid), "%s, %zu bytes", machines[k], bytes);
                ck_assert_double_eq(seconds, shape.stripes ? by_stripes : by_grid);
                ck_assert_int_eq(shape.grid.ranks, tree->ranks);
                striped += shape.stripes;
            }
        topo_stripes_free(&stripes);
        topo_tree_free(tree);
    }
    ck_assert_msg(striped > 0, "stripes win somewhere");
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine_of("node:2 core:5,3");
    struct topo_allreduce_shape shape;
    struct topo_stripes stripes;
    struct topo_params params;
    topo_params_default(&params);
    ck_assert_int_eq(topo_stripes_of(tree, &stripes), TOPO_OK);
    UNIT_OUT_OF_MEMORY(
        topo_allreduce_shape_choose(tree, &params, &stripes, TOPO_SHAPE_MIXED, 1 << 20, true, &shape, NULL));
    topo_stripes_free(&stripes);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("allreduce_shape", {cheapest}, {out_of_memory})
