/* What the all-reduces of one communicator agreed on: grid or stripes, and packets. */
#ifndef TOPO_COMM_ALLREDUCE_SHAPES_H
#define TOPO_COMM_ALLREDUCE_SHAPES_H

#include <stddef.h>

#include "base/status.h"
#include "job/channel.h"
#include "machine/tree.h"
#include "patterns/stripes.h"
#include "model/allreduce_shape.h"

struct topo_allreduce_shapes;

/* Collective over `channel`, whose ranks `tree` describes: the shape for vectors
 * of `bytes`. Worked out by rank 0 once for each kind and power of two of bytes,
 * sent, and remembered in *shapes (NULL at first); all ranks get the same status.
 * *shape lives as long as *shapes. */
enum topo_status topo_allreduce_shapes_get(const struct topo_channel *channel, const struct topo_tree *tree,
                                           enum topo_allreduce_shape_kind kind, size_t bytes,
                                           struct topo_allreduce_shapes **shapes,
                                           const struct topo_allreduce_shape **shape);

/* The stripes of the tree; made at the first shape. */
const struct topo_stripes *topo_allreduce_shapes_stripes(const struct topo_allreduce_shapes *shapes);

/* NULL is harmless. */
void topo_allreduce_shapes_free(struct topo_allreduce_shapes *shapes);

#endif
