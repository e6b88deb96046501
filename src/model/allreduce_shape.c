#include "model/allreduce_shape.h"

enum topo_status topo_allreduce_shape_choose(const struct topo_tree *tree, const struct topo_params *params,
                                             const struct topo_stripes *stripes, enum topo_allreduce_shape_kind kind,
                                             size_t bytes, bool synchronous, struct topo_allreduce_shape *shape,
                                             double *seconds)
{
    const struct topo_grid_request request = {
        .bytes = bytes, .synchronous = synchronous, .rings_only = kind == TOPO_SHAPE_CYCLIC};
    double cost;
    enum topo_status status = topo_grid_choose(tree, params, &request, &shape->grid, &cost, NULL);
    shape->stripes = false;
    if (status == TOPO_OK && kind == TOPO_SHAPE_CYCLIC && stripes->nodes > 1 &&
        !topo_tree_is_uniform(tree, topo_tree_node_level(tree))) {
        double by_stripes = topo_stripes_cost(stripes, tree, params, &request);
        if (by_stripes < 0)
            return TOPO_NOMEM;
        shape->stripes = by_stripes < cost;
        if (shape->stripes)
            cost = by_stripes;
    }
    if (seconds)
        *seconds = cost;
    return status;
}
