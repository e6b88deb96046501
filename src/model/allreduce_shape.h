/* The shape of an all-reduce: on which grid, or in stripes, and in what packets. */
#ifndef TOPO_MODEL_ALLREDUCE_SHAPE_H
#define TOPO_MODEL_ALLREDUCE_SHAPE_H

#include "model/grid_choice.h"

/* Who competes: the published grids of rings (and stripes where nodes differ in
 * size), or grids with any kind of dimension. */
enum topo_allreduce_shape_kind { TOPO_SHAPE_CYCLIC, TOPO_SHAPE_MIXED, TOPO_SHAPE_KINDS };

struct topo_allreduce_shape {
    bool stripes; /* else `grid` */
    struct topo_grid grid;
    size_t packet; /* bytes that suit the caches of rank 0's node */
};

/* The cheapest shape for vectors of `bytes`, but for its packet; stripes compete
 * where no grid can follow the nodes. *seconds (may be NULL) is its cost in the
 * model. Deterministic. Errors: TOPO_NOMEM. */
enum topo_status topo_allreduce_shape_choose(const struct topo_tree *tree, const struct topo_params *params,
                                             const struct topo_stripes *stripes, enum topo_allreduce_shape_kind kind,
                                             size_t bytes, bool synchronous, struct topo_allreduce_shape *shape,
                                             double *seconds);

#endif
