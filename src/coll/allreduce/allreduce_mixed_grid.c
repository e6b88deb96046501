/* All-reduce on a grid whose dimensions are worked in the cheapest way each: ring,
 * direct messages, or exchange (patterns/grid.h); the model chooses
 * (model/grid_choice.h).
 *
 * Cost: sum over the dimensions of what model/grid_choice.h says. */
#include "coll/allreduce/allreduce.h"

int topo_allreduce_mixed_grid(const struct topo_allreduce *call)
{
    struct topo_allreduce_shape shape;
    int code = topo_allreduce_shape_of(call, TOPO_SHAPE_MIXED, &shape);
    return code == MPI_SUCCESS ? topo_allreduce_run(call, &shape, 1) : code;
}
