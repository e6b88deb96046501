#include "machines.h"
#include "params.h"

#include <math.h>

#include "model/cost.h"

/* Bytes that the busiest of the machine's units of a level has to send or to receive at least, whatever the form:
 * docs/SCALE.md, c(k). */
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
    topo_free(sizes);
    switch (operation) {
    case TOPO_OPERATION_barrier: return 0;
    case TOPO_OPERATION_allreduce: return 2 * bytes * (units - 1) / units;
    case TOPO_OPERATION_bcast:
    case TOPO_OPERATION_reduce: return units > 1 ? bytes : 0;
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

UNIT_MAIN("cost_bound", {no_form_beats_the_links, MACHINES})
