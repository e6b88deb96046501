/* Between the files of the cost model: one function an algorithm, all of one
 * type, collected in the table of cost.c. */
#ifndef TOPO_MODEL_COST_PARTS_H
#define TOPO_MODEL_COST_PARTS_H

#include "model/cost.h"
#include "model/load.h"

/* What a cost function gets: `load` is empty, `order` the rank in each place:
 * for an algorithm with a mapping the rank that plays virtual number v, else
 * the ranks in tree order. */
struct topo_cost_input {
    const struct topo_tree *tree;
    const struct topo_params *params;
    const struct topo_cost_call *call;
    struct topo_load *load;
    const int *order;
};

typedef double topo_cost_function(const struct topo_cost_input *in);

topo_cost_function topo_cost_allgather_native;
topo_cost_function topo_cost_allgather_ring;
topo_cost_function topo_cost_allgather_recursive_doubling;
topo_cost_function topo_cost_allgather_recursive_doubling_exch;
topo_cost_function topo_cost_allgather_recursive_doubling_reorder;
topo_cost_function topo_cost_allgather_bruck;
topo_cost_function topo_cost_allgather_bruck_exch;
topo_cost_function topo_cost_allgather_bruck_reorder;

/* Which algorithm Open MPI 4.1's tuned component takes (its fixed decision). */
enum topo_tuned {
    TOPO_TUNED_LINEAR,
    TOPO_TUNED_BRUCK,
    TOPO_TUNED_RECURSIVE_DOUBLING,
    TOPO_TUNED_RING,
    TOPO_TUNED_NEIGHBOUR,
};
enum topo_tuned topo_tuned_allgather(int ranks, size_t bytes);

#endif
