#include "machines.h"

#include <math.h>

#include "model/grid_choice.h"

static double least;
static struct topo_grid grid;

/* All grids of `left` more positions behind those that are there. */
static void every_grid(const struct topo_tree *tree, const struct topo_params *params,
                       const struct topo_grid_request *request, int left)
{
    if (left == 1) {
        double seconds = topo_grid_cost(tree, params, &grid, request);
        ck_assert(seconds >= 0);
        least = seconds < least ? seconds : least;
        return;
    }
    for (int size = 2; size <= left; size++) {
        if (left % size)
            continue;
        for (int kind = TOPO_DIM_RING; kind <= (request->rings_only ? TOPO_DIM_RING : TOPO_DIM_EXCHANGE); kind++) {
            if (kind == TOPO_DIM_EXCHANGE && size != 2)
                continue;
            grid.size[grid.dims] = size;
            grid.kind[grid.dims++] = (enum topo_dim_kind)kind;
            every_grid(tree, params, request, left / size);
            grid.dims--;
        }
    }
}

START_TEST(none_is_cheaper)
{
    static const char *const machines[] = {"node:1 core:1",          "node:2 core:2",      "node:3 core:4",
                                           "node:4 core:4 by:node",  "node:2 core:12",     "switch:2 node:2 core:6",
                                           "switch:2 node:3 core:4", "node:4 core:7,5,3,1"};
    static const size_t sizes[] = {0, 100, 10000, 1 << 20, 64 << 20};
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        struct topo_tree *tree = machine_of(machines[k]);
        struct topo_params params;
        topo_params_default(&params);
        for (int i = 0; i < 5 * 4; i++) {
            struct topo_grid_request request = {sizes[i / 4], i % 2, i / 2 % 2};
            struct topo_grid chosen;
            double seconds;
            ck_assert_int_eq(topo_grid_choose(tree, &params, &request, &chosen, &seconds, NULL), TOPO_OK);
            ck_assert_int_eq(chosen.ranks, tree->ranks);
            ck_assert_double_le(fabs(topo_grid_cost(tree, &params, &chosen, &request) - seconds), 1e-9 * seconds);
            grid = (struct topo_grid){.ranks = tree->ranks};
            least = HUGE_VAL;
            every_grid(tree, &params, &request, tree->ranks);
            ck_assert_msg(fabs(seconds - least) <= 1e-9 * least, "%s, %zu bytes: %g s, a grid of %g s exists",
                          machines[k], request.bytes, seconds, least);
        }
        topo_tree_free(tree);
    }
}
END_TEST

/* One switch, a rank a node, no shared links: the formula of grid_choice.h by hand. */
START_TEST(by_hand)
{
    struct topo_tree *tree = machine_of("node:6 core:1");
    struct topo_params params;
    struct topo_grid six = {6, 2, {2, 3}, {TOPO_DIM_RING, TOPO_DIM_RING}};
    struct topo_grid_request request = {6144, false, true};
    struct topo_stripes stripes;
    topo_params_default(&params);
    params.overhead = params.copy = params.gamma = 0;
    params.link[TOPO_LEVEL_NODE] = (struct topo_link){.alpha = 8, .beta = 1.0 / 1024};
    ck_assert_double_eq_tol(topo_grid_cost(tree, &params, &six, &request), 2 * 8 * 1 + 2 * 3 + 2 * 8 * 2 + 2 * 2, 1e-9);
    params.gamma = 1.0 / 2048;
    request.synchronous = true;
    ck_assert_double_eq_tol(topo_grid_cost(tree, &params, &six, &request), 48 + 10 + 1.5 + 1, 1e-9);
    ck_assert_int_eq(topo_stripes_of(tree, &stripes), TOPO_OK);
    ck_assert_msg(topo_stripes_cost(&stripes, tree, &params, &request) > 0, "stripes have a cost too");
    topo_stripes_free(&stripes);
    topo_tree_free(tree);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine_of("node:4 core:3");
    struct topo_params params;
    struct topo_grid_request request = {1000, false, false};
    struct topo_stripes stripes;
    topo_params_default(&params);
    UNIT_OUT_OF_MEMORY(topo_grid_choose(tree, &params, &request, &grid, NULL, NULL));
    UNIT_OUT_OF_MEMORY(topo_grid_cost(tree, &params, &grid, &request) < 0 ? TOPO_NOMEM : TOPO_OK);
    ck_assert_int_eq(topo_stripes_of(tree, &stripes), TOPO_OK);
    UNIT_OUT_OF_MEMORY(topo_stripes_cost(&stripes, tree, &params, &request) < 0 ? TOPO_NOMEM : TOPO_OK);
    topo_stripes_free(&stripes);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("grid_choice", {none_is_cheaper}, {by_hand}, {out_of_memory})
