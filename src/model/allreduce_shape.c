#include "model/allreduce_shape.h"

enum topo_status topo_shape_choose(const struct topo_tree *tree, const struct topo_params *params,
                                   const struct topo_strips *strips, enum topo_shape_kind kind, size_t bytes,
                                   bool synchronous, struct topo_shape *shape, double *seconds)
{
    const struct topo_grid_request request = {
        .bytes = bytes, .synchronous = synchronous, .rings_only = kind == TOPO_SHAPE_CYCLIC};
    double cost;
    enum topo_status status = topo_grid_choose(tree, params, &request, &shape->grid, &cost, NULL);
    shape->strips = false;
    if (status == TOPO_OK && kind == TOPO_SHAPE_CYCLIC && strips->nodes > 1 &&
        !topo_tree_is_uniform(tree, topo_tree_node_level(tree))) {
        double by_strips = topo_strips_cost(strips, tree, params, &request);
        shape->strips = by_strips >= 0 && by_strips < cost;
        if (shape->strips)
            cost = by_strips;
    }
    if (seconds)
        *seconds = cost;
    return status;
}
